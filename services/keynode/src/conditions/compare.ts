import {
  type Comparator,
  conditionRule,
  type ExpectedValue,
  isEvmAddress,
  type Parameter,
  type Reason,
  type ReturnValueTest,
} from '@cairn/protocol'
import type { Observed, Scalar, ValueType } from './reader.ts'

const integerType = /^(u?)int(\d{1,3})$/
const bytesType = /^bytes(\d{1,2})$/
const maxDigits = 78

/** Returns the element type of an array type, else undefined. */
export function elementOf(type: ValueType): ValueType | undefined {
  return type.endsWith('[]') ? type.slice(0, -2) : undefined
}

/** Parses a decimal or 0x integer of up to 256 bits, as text or as a safe number. */
function parseInteger(value: string | number | boolean): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const [, sign, digits] = /^([+-]?)(0[xX][0-9a-fA-F]{1,64}|\d+)$/.exec(text) ?? []
  if (digits === undefined || digits.length > maxDigits) return undefined
  return sign === '-' ? -BigInt(digits) : BigInt(digits)
}

function parseBoolean(value: string | number | boolean): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = String(value).trim().toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function parseScalar(value: string | number | boolean, type: ValueType): Scalar | undefined {
  if (integerType.test(type)) return parseInteger(value)
  if (type === 'bool') return parseBoolean(value)
  if (typeof value !== 'string') return undefined
  if (type === 'address') return isEvmAddress(value.trim()) ? value.trim().toLowerCase() : undefined
  const size = bytesType.exec(type)?.[1]
  if (size !== undefined) {
    const text = value.trim().toLowerCase()
    return /^0x[0-9a-f]*$/.test(text) && text.length === 2 + 2 * Number(size) ? text : undefined
  }
  return type === 'text' ? value : undefined
}

/**
 * Converts a value to its type: integers as bigint, addresses and bytes in lower case; `undefined` when it does not
 * fit. Integers may exceed the type's range: `300` can be compared with a uint8.
 */
export function parseValue(value: Parameter | ExpectedValue, type: ValueType): Observed | undefined {
  const element = elementOf(type)
  if (element === undefined) return Array.isArray(value) ? undefined : parseScalar(value, type)
  if (!Array.isArray(value)) return undefined
  const items: Scalar[] = []
  for (const item of value) {
    const parsed = parseScalar(item, element)
    if (parsed === undefined) return undefined
    items.push(parsed)
  }
  return items
}

/** Returns the minimum and maximum integer of a type. */
function rangeOf(type: ValueType): { least: bigint; greatest: bigint } | undefined {
  const [, unsigned, bits] = integerType.exec(type) ?? []
  if (bits === undefined) return undefined
  if (unsigned === 'u') return { least: 0n, greatest: 2n ** BigInt(bits) - 1n }
  const half = 2n ** (BigInt(bits) - 1n)
  return { least: -half, greatest: half - 1n }
}

/** Whether an integer is in the range of its type. */
export function isInRange(value: bigint, type: ValueType): boolean {
  const range = rangeOf(type)
  return range !== undefined && value >= range.least && value <= range.greatest
}

/**
 * Parses the expected value for readings of a type: for arrays an array, or one value that every element is compared
 * with.
 */
function parseExpected(value: ExpectedValue, type: ValueType): Observed | undefined {
  const element = elementOf(type)
  return parseValue(value, element === undefined || Array.isArray(value) ? type : element)
}

/** Why readings of a type cannot be compared this way; undefined when they can. */
export function findMismatch({ comparator, value }: ReturnValueTest, type: ValueType): Reason | undefined {
  const isOrdered = integerType.test(elementOf(type) ?? type)
  if (!isOrdered && comparator !== '==' && comparator !== '!=') return conditionRule('ONLY_EQUALITY', { type })
  return parseExpected(value, type) === undefined ? conditionRule('VALUE_OF_ANOTHER_TYPE', { type }) : undefined
}

/**
 * How a test has a constant result, regardless of the chain. `outside`: the type cannot have the value; `always` and
 * `never`: every value passes, or none; `open`: every value passes, in the form that the peers' own examples use for
 * "anyone": `>= 0`.
 */
export type Foregone = 'outside' | 'always' | 'never' | 'open'

/** Whether a test of an integer type has a constant result: it grants access to everyone or to no one, by mistake. */
export function findForegone({ comparator, value }: ReturnValueTest, type: ValueType): Foregone | undefined {
  const range = rangeOf(elementOf(type) ?? type)
  const expected = parseExpected(value, type)
  if (range === undefined || expected === undefined) return undefined
  const found = (isList(expected) ? expected : [expected]).map((one) => judgeBound(comparator, one, range))
  // Every element of an array must pass.
  if (found.includes('outside')) return 'outside'
  if (found.includes('never')) return 'never'
  return found.includes(undefined) ? undefined : found.includes('always') ? 'always' : 'open'
}

function judgeBound(
  comparator: Comparator,
  value: Scalar,
  { least, greatest }: { least: bigint; greatest: bigint },
): Foregone | undefined {
  if (typeof value !== 'bigint') return undefined
  if (value < least || value > greatest) return 'outside'
  if (comparator === '>=' && value === least) return least === 0n ? 'open' : 'always'
  if (comparator === '<=' && value === greatest) return 'always'
  return (comparator === '<' && value === least) || (comparator === '>' && value === greatest) ? 'never' : undefined
}

function compareScalar(observed: Scalar, comparator: Comparator, expected: Scalar): boolean {
  if (typeof observed !== typeof expected) return false
  if (comparator === '==') return observed === expected
  if (comparator === '!=') return observed !== expected
  if (typeof observed !== 'bigint' || typeof expected !== 'bigint') return false
  if (comparator === '>=') return observed >= expected
  if (comparator === '<=') return observed <= expected
  return comparator === '>' ? observed > expected : observed < expected
}

/**
 * Whether a reading passes its test; `undefined` when the two cannot be compared. Integers of any size compare as
 * integers. Every element of an array must pass, against the single value or the value at its own position in an
 * array of equal length; an empty array never passes.
 */
export function compare(observed: Observed, type: ValueType, test: ReturnValueTest): boolean | undefined {
  if (findMismatch(test, type) !== undefined) return undefined
  const expected = parseExpected(test.value, type)
  if (expected === undefined) return undefined
  if (!isList(observed)) return isList(expected) ? undefined : compareScalar(observed, test.comparator, expected)
  if (observed.length === 0) return false
  if (!isList(expected)) return observed.every((item) => compareScalar(item, test.comparator, expected))
  return (
    observed.length === expected.length &&
    observed.every((item, at) => {
      const other = expected[at]
      return other !== undefined && compareScalar(item, test.comparator, other)
    })
  )
}

function isList(value: Observed): value is readonly Scalar[] {
  return Array.isArray(value)
}
