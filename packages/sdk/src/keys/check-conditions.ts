import type { ConditionSet } from '@cairn/protocol'

/** Conditions as the caller writes them. */
export type ConditionsInput = {
  conditions: readonly unknown[]
  aggregator?: string | undefined
  chainType?: string | undefined
  /**
   * `ACCESS_CONDITIONS` makes the file nobody's: nobody can share, revoke, transfer or change conditions ever after. It needs
   * `isOwnerless` beside it.
   */
  decryptionType?: string | undefined
  /** Says that losing all rights is meant. */
  isOwnerless?: boolean | undefined
}

/**
 * Checks conditions here, before anything is sent. What reads them is loaded only where there are any.
 * @throws CairnError INVALID_CONDITION
 */
export async function checkConditions(input: ConditionsInput): Promise<ConditionSet> {
  const { readConditionsInput } = await import('./read-conditions-input.ts')
  return readConditionsInput(input)
}
