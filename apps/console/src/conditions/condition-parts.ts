import { type ChainFamilyName, isRecord } from '@cairn/protocol'

/** A condition during editing: the object to be saved, possibly not valid yet. */
export type RawCondition = Readonly<Record<string, unknown>>

export type DraftChainType = Uppercase<ChainFamilyName>

/** Path of a field in a condition. */
export type FieldPath = readonly (string | number)[]

/** Returns the value at a path; undefined if there is none. */
export function readField(condition: unknown, path: FieldPath): unknown {
  const [step, ...rest] = path
  if (step === undefined) return condition
  if (Array.isArray(condition) && typeof step === 'number') return readField(condition[step], rest)
  if (isRecord(condition) && typeof step === 'string' && Object.hasOwn(condition, step)) {
    return readField(condition[step], rest)
  }
  return undefined
}

/** Returns the value at a path as text, for an input. */
export function readText(condition: unknown, path: FieldPath): string {
  const value = readField(condition, path)
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns a copy of a condition with another value at a path; `undefined` removes the field. */
export function writeField(condition: RawCondition, path: FieldPath, value: unknown): RawCondition {
  const written = write(condition, path, value)
  return isRecord(written) ? written : condition
}

function write(target: unknown, path: FieldPath, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(target) ? [...target] : []
    list[step] = write(list[step], rest, value)
    return list
  }
  const record = isRecord(target) ? target : {}
  const next = write(Object.hasOwn(record, step) ? record[step] : undefined, rest, value)
  if (next !== undefined) return { ...record, [step]: next }
  const { [step]: _gone, ...others } = record
  return others
}
