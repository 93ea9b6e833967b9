import type { ConditionSet } from '@cairn/protocol'
import type { ConditionsInput } from './conditions-input.ts'

export type { ConditionsInput } from './conditions-input.ts'

/**
 * Validates conditions before any request. The validator loads only if there are conditions.
 * @throws CairnError INVALID_CONDITION
 */
export async function checkConditions(input: ConditionsInput): Promise<ConditionSet> {
  const { readConditionsInput } = await import('./read-conditions-input.ts')
  return readConditionsInput(input)
}
