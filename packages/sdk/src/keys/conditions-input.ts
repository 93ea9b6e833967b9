/** Conditions as the caller writes them. */
export type ConditionsInput = {
  conditions: readonly unknown[]
  aggregator?: string | undefined
  chainType?: string | undefined
  /**
   * `ACCESS_CONDITIONS` removes the owner: the file can never again be shared, revoked, transferred or given other
   * conditions. Requires `isOwnerless`.
   */
  decryptionType?: string | undefined
  /** Confirms that the caller gives up all rights. */
  isOwnerless?: boolean | undefined
}
