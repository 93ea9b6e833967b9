import { CairnError } from '../errors/error.ts'
import type { Reason } from '../reasons/reason.ts'

/** Where a rule of conditions is broken. */
export type Place = {
  /** `aggregator` of the set; `contractAddress` of a condition; undefined for a condition as a whole, or no single field. */
  field?: string | undefined
  /** Its id, if it has one. */
  condition?: number | undefined
  /** Its number in the list, from 1. */
  position?: number | undefined
}

/**
 * Returns an error about a broken rule: as a sentence, and as facts for programs and other languages.
 * @param sentence the rule with its field and condition in English
 * @param rules all broken rules by field, if there may be more than this one
 */
export function invalidCondition(
  sentence: string,
  { reason, reasonFacts }: Reason,
  { field, condition, position }: Place,
  rules: Readonly<Record<string, Reason & { sentence: string }>> = {},
): CairnError<'INVALID_CONDITION'> {
  const all = Object.entries(rules)
  return new CairnError('INVALID_CONDITION', {
    message: `Condition validation error: ${sentence}`,
    details: {
      ...(field === undefined ? {} : { field }),
      ...(condition === undefined ? {} : { condition }),
      ...(position === undefined ? {} : { position }),
      reason,
      reasonFacts,
      ...(all.length === 0
        ? {}
        : {
            fields: Object.fromEntries(all.map(([name, rule]) => [name, rule.sentence])),
            rules: Object.fromEntries(
              all.map(([name, rule]) => [name, { reason: rule.reason, reasonFacts: rule.reasonFacts }]),
            ),
          }),
    },
  })
}

/** Returns an error about a field of one condition. */
export function invalidConditionField(
  { id }: { readonly id: number },
  field: string,
  rule: Reason,
  separator: ' ' | ': ' = ' ',
): CairnError<'INVALID_CONDITION'> {
  return invalidCondition(`"${field}" of condition ${id}${separator}${rule.reason}`, rule, { field, condition: id })
}
