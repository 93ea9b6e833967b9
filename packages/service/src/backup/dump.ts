import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { CairnError } from '@cairn/protocol'
import type { Snapshot, SnapshotValue } from '../database/snapshot-rows.ts'
import { splitLines } from './split-lines.ts'
import { damaged } from './stored-files.ts'

// A dump is gzipped JSON lines, the same for both databases: for each table {table, columns}, its rows as arrays, and
// {end, rows}; {end: true} last. Bytes are {b: base64}, integers beyond 2^53 {i: decimal}.

/** The tables and columns that a dump omits. */
export type DumpOptions = {
  /** Tables whose rows have no use in another process, such as sessions. */
  readonly omittedTables?: readonly string[]
  /** Columns that the service computes again. */
  readonly omittedColumns?: readonly string[]
}

/** Encodes the tables of a snapshot. `onRows` is called with the rows so far. */
export function dumpRows(
  snapshot: Snapshot,
  onRows: (rows: number) => void,
  options: DumpOptions,
): AsyncIterable<Uint8Array> {
  const source = Readable.from(encodeRows(snapshot, onRows, options))
  const zipped = createGzip()
  // A failure ends the output with the same error.
  pipeline(source, zipped, () => undefined)
  return zipped
}

async function* encodeRows(
  snapshot: Snapshot,
  onRows: (rows: number) => void,
  { omittedTables = [], omittedColumns = [] }: DumpOptions,
): AsyncGenerator<string> {
  let total = 0
  for (const { name, columns: all } of await snapshot.listTables()) {
    if (omittedTables.includes(name)) continue
    const columns = all.filter((column) => !omittedColumns.includes(column))
    yield `${JSON.stringify({ table: name, columns })}\n`
    let rows = 0
    const names = columns.map(quote).join(', ')
    for await (const batch of snapshot.readRows(`select ${names} from ${quote(name)}`)) {
      rows += batch.length
      yield batch.map((row) => `${JSON.stringify(row.map(encodeValue))}\n`).join('')
      onRows(total + rows)
    }
    total += rows
    yield `${JSON.stringify({ end: name, rows })}\n`
  }
  yield `${JSON.stringify({ end: true })}\n`
}

/** Quotes a name of the schema. */
export function quote(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`Not a name of the schema: ${name}`)
  return `"${name}"`
}

/** Returns a value as in a dump. */
export function encodeValue(value: SnapshotValue): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : { i: String(value) }
  }
  return value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value
}

/** A value for a statement. */
export type DumpedValue = string | number | bigint | Uint8Array | null

/** A part of a dump: a table begins, or some of its rows. */
export type DumpPart =
  | { kind: 'table'; name: string; columns: string[] }
  | { kind: 'row'; values: DumpedValue[] }
  | { kind: 'end'; rows: number }

/** Decodes a dump. @throws CairnError BACKUP_DAMAGED when it is not complete */
export async function* readDump(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<DumpPart> {
  const invalid = (cause?: unknown) => damaged(name, 'is not a complete dump', cause)
  let isComplete = false
  let table: { name: string; columns: number; rows: number } | undefined
  for await (const line of splitLines(unzip(bytes, invalid))) {
    const parsed = parseLine(line)
    if (isComplete || parsed === undefined) throw invalid()
    if (Array.isArray(parsed)) {
      if (parsed.length !== table?.columns) throw invalid()
      table.rows++
      yield { kind: 'row', values: parsed.map((value) => decodeValue(value, invalid)) }
    } else if (typeof parsed['table'] === 'string' && table === undefined) {
      const columns: unknown = parsed['columns']
      if (!Array.isArray(columns) || !columns.every((column) => typeof column === 'string')) throw invalid()
      table = { name: parsed['table'], columns: columns.length, rows: 0 }
      yield { kind: 'table', name: table.name, columns }
    } else if (parsed['end'] === true && table === undefined) {
      isComplete = true
    } else {
      if (table === undefined || parsed['end'] !== table.name || parsed['rows'] !== table.rows) throw invalid()
      yield { kind: 'end', rows: table.rows }
      table = undefined
    }
  }
  if (!isComplete) throw invalid()
}

async function* unzip(
  bytes: AsyncIterable<Uint8Array>,
  invalid: (cause: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false })
  const unzipped = createGunzip()
  pipeline(source, unzipped, () => undefined)
  try {
    for await (const chunk of unzipped) yield chunk
  } catch (error) {
    throw CairnError.is(error) ? error : invalid(error)
  } finally {
    source.destroy()
    unzipped.destroy()
  }
}

function parseLine(line: string): unknown[] | Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line)
    if (Array.isArray(parsed)) return parsed
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined
  } catch {
    // The caller reports that the dump is not complete.
    return undefined
  }
}

function decodeValue(value: unknown, invalid: () => Error): DumpedValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'object') {
    if ('b' in value && typeof value.b === 'string') return Buffer.from(value.b, 'base64')
    if ('i' in value && typeof value.i === 'string' && /^-?\d{1,20}$/.test(value.i)) return BigInt(value.i)
  }
  throw invalid()
}
