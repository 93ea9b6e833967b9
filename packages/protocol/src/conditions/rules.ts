import type * as v from 'valibot'
import { noteBrokenRule } from '../reasons/field-rules.ts'
import { createReasons, type ReasonValues, type WordReason } from '../reasons/reason.ts'

/**
 * Rules that a set of conditions or a field of a condition can break, besides the rules for any field. The texts follow the name
 * of the field.
 */
export const conditionRules = {
  ANOTHER_OF_TWO: 'must be {names} or {last}',
  NOT_ONE_OF: 'must be one of {names}',
  NOT_ONE_OF_NOR_EMPTY: 'must be one of {names} or empty',
  ANOTHER_VALUE_NOT_EMPTY: 'must be {names} or empty',
  // Fields of conditions
  NUMBER_NOT_SAFE: 'must be a whole number below 2^53. Write larger numbers as strings',
  NOT_A_SCALAR: 'must be a string, a whole number or a boolean',
  NOT_AN_EXPECTED_VALUE: 'must be a number, a string or an array',
  ANOTHER_PLACEHOLDER: 'must not contain placeholders other than {allowed}',
  NUMBER_TOO_LARGE: 'is too large',
  NOT_A_CHAIN_NAME: 'must be the name of a chain',
  NOT_AN_EVM_ADDRESS: 'must be 0x and 40 hex characters',
  NOT_A_SOLANA_ADDRESS: 'must be a Solana address in base58',
  NOT_A_COREUM_ADDRESS: 'must be a Coreum address',
  NOT_A_RADIX_ADDRESS: 'must be a Radix address',
  NOT_A_DENOMINATION: 'must be a denomination',
  NOT_A_CLASS_ID: 'must be a class ID',
  NOT_A_FUNCTION_NAME: 'must be the name of a Solidity function',
  NOT_AN_ABI_TYPE: 'must be one of the ABI types address, bool, bytesN, uintN, intN',
  NOT_FIELD_NAMES: 'must be field names joined by dots',
  METHOD_OF_ANOTHER_TYPE: 'must be one of {names} for {type}. Use Custom for other methods',
  PARAMETER_COUNT: 'must have {count} items for {method}',
  PARAMETER_TYPES_COUNT: 'must have as many items as inputArrayType',
  // Fields of conditions that key nodes check
  PARAMETER_NOT_ONE_ADDRESS: 'must be at most one address',
  PARAMETER_NOT_A_SOLANA_ADDRESS: 'must be a Solana address',
  CONTRACT_MISSING: 'is not a contract on {chain}',
  METHOD_NOT_OF_CONTRACT: 'must be {method} for {type}',
  SELECTOR_UNREADABLE: 'must be empty, a type, or a path from account or pubkey',
  ONLY_EQUALITY: '{type} can only be compared by == and !=',
  VALUE_OF_ANOTHER_TYPE: 'the value is not a valid {type}',
  VALUE_OUT_OF_RANGE: 'the value is outside the range of {type}',
  ALWAYS_TRUE: '"{comparator}" with this value is true for every {type}',
  NEVER_TRUE: '"{comparator}" with this value is false for every {type}',
  // Sets of conditions
  CONDITIONS_NOT_AN_ARRAY: 'must be an array',
  CONDITIONS_TOO_FEW: 'must contain at least {limit} items',
  CONDITIONS_TOO_MANY: 'must contain at most {limit} items',
  CONDITIONS_REQUIRED: 'must contain at least one item when decryptionType is ACCESS_CONDITIONS',
  CONDITIONS_WITHOUT_OWNER: 'decryptionType ACCESS_CONDITIONS leaves the file without an owner',
  ID_REPEATED: '{id} is used by more than one condition',
  AGGREGATOR_WITHOUT_JOIN: 'must contain " and " or " or "',
  AGGREGATOR_UNREADABLE: 'cannot be read at character {position}',
  AGGREGATOR_INCOMPLETE: 'is incomplete',
  AGGREGATOR_TOO_DEEP: 'must not nest deeper than {limit}',
  AGGREGATOR_OPEN: 'has a parenthesis that is not closed',
  AGGREGATOR_UNEXPECTED: 'has "{text}" where a condition is expected',
  AGGREGATOR_UNKNOWN_ID: 'contains the id {id}, which does not belong to a condition',
  AGGREGATOR_UNUSED_IDS: 'must use every condition. Missing: {ids}',
} as const

/** Words a rule of {@link conditionRules}. */
export const conditionRule: WordReason<typeof conditionRules> = /* @__PURE__ */ createReasons(conditionRules)

/**
 * Returns the message of a schema: a rule of {@link conditionRules}, which `findRule` finds with its code. Without side effects,
 * so that bundles omit schemas that they do not use.
 */
/* @__NO_SIDE_EFFECTS__ */
export function conditionMessage<Code extends keyof typeof conditionRules>(
  code: Code,
  ...values: ReasonValues<(typeof conditionRules)[Code]>
): (issue: v.BaseIssue<unknown>) => string {
  return (issue) => noteBrokenRule(issue, conditionRule(code, ...values))
}
