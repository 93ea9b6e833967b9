import * as v from 'valibot'
import { fieldMessage, noteBrokenRule } from '../reasons/field-rules.ts'
import { findRule } from '../reasons/find-rule.ts'
import { conditionMessage, conditionRule } from './rules.ts'

/** Limits of one set of conditions. */
export const maxConditions = 10
export const maxConditionParameters = 16
export const maxConditionArrayItems = 32
export const maxConditionTextCharacters = 1024

/** Placeholder for the address of the caller, in parameters and in the value to compare with. */
export const userAddressPlaceholder = ':userAddress'
const placeholderPattern = /^:([A-Za-z_][A-Za-z0-9_]{0,63})$/

/** Returns the name in a placeholder such as `:signature`; `undefined` for any other text. */
export function placeholderName(value: unknown): string | undefined {
  return typeof value === 'string' ? placeholderPattern.exec(value)?.[1] : undefined
}

const wholeNumber = v.pipe(v.number(), v.safeInteger(conditionMessage('NUMBER_NOT_SAFE')))
const text = v.pipe(v.string(), v.maxLength(maxConditionTextCharacters))
const scalar = v.union([wholeNumber, text, v.boolean()], describeScalar)

function describeScalar(issue: v.UnionIssue<v.BaseIssue<unknown>>): string {
  const [deeper] = issue.issues?.filter((each) => each.kind === 'validation') ?? []
  return noteBrokenRule(issue, (deeper && findRule(deeper)) ?? conditionRule('NOT_A_SCALAR'))
}

const scalars = v.pipe(v.array(scalar), v.maxLength(maxConditionArrayItems))

/** One argument of a contract method or of an RPC call. */
export const parameterSchema = v.lazy((input) => (Array.isArray(input) ? scalars : scalar))
export type Parameter = v.InferOutput<typeof scalar> | v.InferOutput<typeof scalars>

export const parametersSchema = v.pipe(
  v.array<v.GenericSchema<unknown, Parameter>>(parameterSchema),
  v.maxLength(maxConditionParameters),
)

/** Values that are known only at read time, keyed `{id of the condition}.{name}`. */
export const dynamicDataSchema = v.pipe(
  v.record(
    v.pipe(v.string(), v.maxLength(100)),
    v.lazy((input): v.GenericSchema<unknown, Parameter> => (Array.isArray(input) ? scalars : scalar)),
  ),
  v.maxEntries(maxConditions * maxConditionParameters),
)
export type DynamicData = v.InferOutput<typeof dynamicDataSchema>

export const comparators = ['==', '>=', '<=', '!=', '>', '<'] as const
export type Comparator = (typeof comparators)[number]

const expectedText = v.pipe(
  text,
  v.nonEmpty(),
  v.check(
    (value: string) => placeholderName(value) === undefined || value === userAddressPlaceholder,
    conditionMessage('ANOTHER_PLACEHOLDER', { allowed: userAddressPlaceholder }),
  ),
)
const expectedItem = v.lazy(
  (input): v.GenericSchema<unknown, string | number | boolean> =>
    typeof input === 'string' ? expectedText : typeof input === 'boolean' ? v.boolean() : wholeNumber,
)
const expectedValue = v.lazy((input): v.GenericSchema<unknown, ExpectedValue> => {
  if (typeof input === 'string') return expectedText
  if (typeof input === 'number') return wholeNumber
  return v.pipe(
    v.array(expectedItem, conditionMessage('NOT_AN_EXPECTED_VALUE')),
    v.minLength(1, fieldMessage('FIELD_EMPTY')),
    v.maxLength(maxConditionArrayItems),
  )
})

/** The value to compare a reading with; an array is compared item by item. */
export type ExpectedValue = number | string | (string | number | boolean)[]

export const returnValueTestSchema = v.strictObject({
  comparator: v.picklist(comparators, conditionMessage('NOT_ONE_OF', { names: comparators.join(' ') })),
  value: expectedValue,
})
export type ReturnValueTest = v.InferOutput<typeof returnValueTestSchema>

const leastId = 1
const notANumber = fieldMessage('NOT_A_NUMBER')
/** A number of at least 1, or a text with one. */
export const conditionIdSchema = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.trim(), v.regex(/^\d{1,16}(?:\.\d{1,16})?$/, notANumber))], notANumber),
  v.transform(Number),
  v.finite(notANumber),
  v.minValue(leastId),
  v.maxValue(Number.MAX_SAFE_INTEGER, conditionMessage('NUMBER_TOO_LARGE')),
)

export const chainNameSchema = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty(fieldMessage('FIELD_REQUIRED')),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/, conditionMessage('NOT_A_CHAIN_NAME')),
)

/** One of the names, in any case. */
export function caseless<const Names extends readonly [string, ...string[]]>(names: Names) {
  return v.pipe(
    v.string(),
    v.transform((input: string) => findCaseless(names, input)),
    v.picklist(names, conditionMessage('NOT_ONE_OF', { names: names.map((name) => `"${name}"`).join(', ') })),
  )
}

/** Returns the name that differs from the text in case only, else the text. */
export function findCaseless(names: readonly string[], input: string): string {
  return names.find((name) => name.toLowerCase() === input.toLowerCase()) ?? input
}
