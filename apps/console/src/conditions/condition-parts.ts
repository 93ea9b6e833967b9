/** A condition as it is edited: the very object that is saved, perhaps not yet right. */
export type RawCondition = Readonly<Record<string, unknown>>

export const chainTypes = ['EVM', 'SOLANA', 'COREUM'] as const
export type DraftChainType = (typeof chainTypes)[number]

/** Where a field stands in a condition. */
export type FieldPath = readonly (string | number)[]

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path; undefined where there is none. */
export function readField(condition: unknown, path: FieldPath): unknown {
  const [step, ...rest] = path
  if (step === undefined) return condition
  if (Array.isArray(condition) && typeof step === 'number') return readField(condition[step], rest)
  if (isRecord(condition) && typeof step === 'string' && Object.hasOwn(condition, step)) {
    return readField(condition[step], rest)
  }
  return undefined
}

/** The value at a path as text, for a field that shows it. */
export function readText(condition: unknown, path: FieldPath): string {
  const value = readField(condition, path)
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The same condition with another value at a path; `undefined` takes the field away. */
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
