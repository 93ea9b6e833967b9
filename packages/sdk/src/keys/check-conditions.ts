import type { ConditionSet } from '@cairn/protocol'

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

/**
 * Validates conditions before any request. The validator loads only if there are conditions.
 * @throws CairnError INVALID_CONDITION
 */
export async function checkConditions(input: ConditionsInput): Promise<ConditionSet> {
  const { readConditionsInput } = await import('./read-conditions-input.ts')
  return readConditionsInput(input)
}
