import { CairnError, type ConditionSet, parseConditions } from '@cairn/protocol'
import type { ConditionsInput } from './check-conditions.ts'

/** Reads what a caller wrote for conditions. @throws CairnError INVALID_CONDITION */
export function readConditionsInput({ isOwnerless = false, ...input }: ConditionsInput): ConditionSet {
  const set = parseConditions(input)
  if (set.decryptionType === 'ACCESS_CONDITIONS' && !isOwnerless) {
    throw new CairnError('INVALID_CONDITION', {
      message: 'Condition validation error: decryptionType ACCESS_CONDITIONS leaves the file without an owner',
      hint: 'Nobody could ever change its rights again. Say isOwnerless: true if that is meant, or leave decryptionType away.',
    })
  }
  return set
}
