import { CairnError, type ConditionSet, parseConditions } from '@cairn/protocol'
import type { ConditionsInput } from './conditions-input.ts'

/**
 * Parses conditions from the caller.
 * @throws CairnError INVALID_CONDITION
 */
export function readConditionsInput({ isOwnerless = false, ...input }: ConditionsInput): ConditionSet {
  const set = parseConditions(input)
  if (set.decryptionType === 'ACCESS_CONDITIONS' && !isOwnerless) {
    throw new CairnError('INVALID_CONDITION', {
      message: 'Condition validation error: decryptionType ACCESS_CONDITIONS leaves the file without an owner',
      hint: 'Without an owner, the rights of the file can never change. Set isOwnerless: true to confirm this, or omit decryptionType.',
    })
  }
  return set
}
