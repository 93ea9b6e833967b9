import {
  conditionReason,
  dynamicDataSchema,
  type ExpectedValue,
  type Parameter,
  placeholderName,
  type Reason,
  userAddressPlaceholder,
} from '@cairn/protocol'
import * as v from 'valibot'

/** The caller, and their values for placeholders. */
export type Asker = {
  /** The normalised address. */
  identity: string
  /** By `{id of the condition}.{name}`; untrusted and of any shape. */
  dynamicData: Readonly<Record<string, unknown>>
}

export type Resolved = { kind: 'resolved'; parameters: Parameter[] } | ({ kind: 'unresolved' } & Reason)

type Scalar = Extract<Parameter, string | number | boolean>

/** Whether a value contains a placeholder for the caller's address. */
export function namesUser(value: Parameter | ExpectedValue | readonly Parameter[]): boolean {
  return Array.isArray(value) ? value.some((item) => namesUser(item)) : value === userAddressPlaceholder
}

/** Whether a value contains a placeholder. */
export function hasPlaceholder(value: Parameter): boolean {
  return Array.isArray(value) ? value.some(hasPlaceholder) : placeholderName(value) !== undefined
}

function find(name: string, id: number, asker: Asker): Parameter | undefined {
  const key = `${id}.${name}`
  if (!Object.hasOwn(asker.dynamicData, key)) return undefined
  const parsed = v.safeParse(dynamicDataSchema, { [key]: asker.dynamicData[key] })
  return parsed.success ? parsed.output[key] : undefined
}

/**
 * Replaces `:userAddress` and `:name` in a condition's parameters, including in arrays. Inserted values are never
 * scanned for placeholders, and `userAddress` is always the caller, regardless of dynamicData.
 */
export function resolveParameters(parameters: readonly Parameter[], id: number, asker: Asker): Resolved {
  const missing: string[] = []
  const resolve = (value: Scalar): Parameter => {
    if (value === userAddressPlaceholder) return asker.identity
    const name = placeholderName(value)
    if (name === undefined) return value
    const found = find(name, id, asker)
    if (found === undefined) missing.push(`${id}.${name}`)
    return found ?? ''
  }
  const resolveItem = (value: Scalar): Scalar => {
    const found = resolve(value)
    if (!Array.isArray(found)) return found
    missing.push(`${id}.${placeholderName(value)}`)
    return ''
  }
  const resolved = parameters.map((value) => (Array.isArray(value) ? value.map(resolveItem) : resolve(value)))
  if (missing.length === 0) return { kind: 'resolved', parameters: resolved }
  return { kind: 'unresolved', ...conditionReason('VALUES_MISSING', { names: [...new Set(missing)].join(', ') }) }
}

/**
 * Inserts the caller's address into the value that a reading is compared with. No other placeholder applies there.
 */
export function resolveExpected(value: ExpectedValue, identity: string): ExpectedValue {
  if (Array.isArray(value)) return value.map((item) => (item === userAddressPlaceholder ? identity : item))
  return value === userAddressPlaceholder ? identity : value
}
