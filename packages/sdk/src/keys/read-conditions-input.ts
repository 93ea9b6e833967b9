import { CairnError, type ConditionSet, conditionRule, parseConditions } from '@cairn/protocol'
import type { ConditionsInput } from './conditions-input.ts'

/**
 * Parses conditions from the caller.
 * @throws CairnError INVALID_CONDITION
 */
export function readConditionsInput(given: ConditionsInput): ConditionSet {
  // Programs without types pass nothing.
  const { isOwnerless = false, ...input } = given ?? {}
  const set = parseConditions(input)
  if (set.decryptionType === 'ACCESS_CONDITIONS' && !isOwnerless) {
    const rule = conditionRule('CONDITIONS_WITHOUT_OWNER')
    throw new CairnError('INVALID_CONDITION', {
      message: `Condition validation error: ${rule.reason}`,
      details: { field: 'decryptionType', ...rule },
      hint: 'Without an owner, the rights of the file can never change. Set isOwnerless: true to confirm this, or omit decryptionType.',
    })
  }
  return set
}
