import type * as v from 'valibot'
import { createReasons, type Reason, type ReasonValues, type WordReason } from './reason.ts'

/** Rules that a field of any request can break. They follow the name of the field. */
export const fieldRules = {
  FIELD_REQUIRED: 'is required',
  FIELD_NOT_ALLOWED: 'is not allowed',
  FIELD_EMPTY: 'must not be empty',
  NOT_A_STRING: 'must be a string',
  NOT_A_NUMBER: 'must be a number',
  NOT_A_BOOLEAN: 'must be true or false',
  NOT_A_LIST: 'must be a list',
  NOT_AN_OBJECT: 'must be an object',
  NOT_NULL: 'must be empty',
  ANOTHER_VALUE: 'must be {expected}',
  TOO_LONG: 'must have at most {limit} characters',
  TOO_SHORT: 'must have at least {limit} characters',
  ANOTHER_LENGTH: 'must have exactly {limit} characters',
  TOO_MANY_ITEMS: 'must have at most {limit} items',
  TOO_FEW_ITEMS: 'must have at least {limit} items',
  ANOTHER_ITEM_COUNT: 'must have exactly {limit} items',
  TOO_MANY_ENTRIES: 'must have at most {limit} entries',
  BELOW_LIMIT: 'must be at least {limit}',
  ABOVE_LIMIT: 'must be at most {limit}',
  NOT_WHOLE: 'must be a whole number',
  NOT_WHOLE_AND_SAFE: 'must be a whole number below 2^53',
  NOT_FINITE: 'must be a finite number',
  NOT_A_UUID: 'must be a UUID',
  NOT_A_URL: 'must be a URL',
  NOT_MATCHING: 'must match {pattern}',
} as const

/** Words a rule of {@link fieldRules}. */
export const fieldRule: WordReason<typeof fieldRules> = /* @__PURE__ */ createReasons(fieldRules)

type Issue = v.BaseIssue<unknown>

/** The rules of issues whose schemas word them with a code. */
const brokenRules = /* @__PURE__ */ new WeakMap<Issue, Reason>()

/** Notes the rule that an issue breaks. @returns its text, for the message of the schema */
export function noteBrokenRule(issue: Issue, rule: Reason): string {
  brokenRules.set(issue, rule)
  return rule.reason
}

/** Returns the rule that an issue breaks; undefined if its schema has a text of its own. */
export function brokenRuleOf(issue: Issue): Reason | undefined {
  return brokenRules.get(issue)
}

/**
 * Returns the message of a schema: a rule of {@link fieldRules}, which {@link brokenRuleOf} finds with its code. Without side
 * effects, so that bundles omit schemas that they do not use.
 */
/* @__NO_SIDE_EFFECTS__ */
export function fieldMessage<Code extends keyof typeof fieldRules>(
  code: Code,
  ...values: ReasonValues<(typeof fieldRules)[Code]>
): (issue: Issue) => string {
  return (issue) => noteBrokenRule(issue, fieldRule(code, ...values))
}
