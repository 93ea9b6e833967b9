import { type Kysely, sql } from 'kysely'
import { compareBytes } from '../../content/compare-bytes.ts'
import type { Schema } from '../../db/schema.ts'
import type { ObjectRow } from '../store.ts'
import { successorOf } from './key-order.ts'

/** Filters of a listing. */
export type ListQuery = {
  bucket: string
  prefix: string
  /** Keys that contain it after the prefix are grouped as one common prefix; empty for no grouping. */
  delimiter: string
  /** Skips entries up to and including this one. */
  after: string
  maxEntries: number
  signal: AbortSignal
}

/** What a listing shows of an object: a page has many, so that no other columns are read. */
const listedColumns = ['key', 'cid', 'size_bytes', 'etag', 'checksum', 'created_at'] as const

export type ListedObject = Pick<ObjectRow, (typeof listedColumns)[number]>

/** An object, or all keys that share a prefix. */
export type ListEntry = { kind: 'object'; row: ListedObject } | { kind: 'prefix'; prefix: string }

/** One page of a listing. `next` is the start of the following page; undefined on the last page. */
export type ListPage = { entries: ListEntry[]; next: string | undefined }

/** Rows per query: few with a delimiter, because each row may start a common prefix that is skipped. */
const fewRows = 8
const manyRows = 1000

/**
 * Lists the objects of a bucket in the byte order of their keys. Each common prefix costs one lookup, regardless of its number
 * of keys.
 */
export async function listObjects(db: Kysely<Schema>, query: ListQuery): Promise<ListPage> {
  const { bucket, prefix, delimiter, after, maxEntries, signal } = query
  const entries: ListEntry[] = []
  if (maxEntries === 0) return { entries, next: undefined }
  const end = successorOf(prefix)
  let from: { key: string; isIncluded: boolean } = startOf(query)
  let limit = delimiter === '' ? maxEntries + 1 : fewRows
  for (;;) {
    signal.throwIfAborted()
    let rows = db
      .selectFrom('s3_object')
      .select(listedColumns)
      .where('bucket', '=', bucket)
      // A parameter would make SQLite compile the statement for each page: its value decides whether the index fits.
      .where('is_latest', '=', sql.lit(1))
      .where('key', from.isIncluded ? '>=' : '>', from.key)
    if (end !== undefined) rows = rows.where('key', '<', end)
    const found = await rows.orderBy('key').limit(limit).execute()
    let skipped: string | undefined
    for (const row of found) {
      if (skipped !== undefined && row.key.startsWith(skipped)) continue
      const common = commonPrefixOf(row.key, prefix, delimiter)
      skipped = common
      if (common !== undefined && compareBytes(common, after) <= 0) continue
      const last = entries.at(-1)
      if (entries.length === maxEntries && last !== undefined) return { entries, next: nameOf(last) }
      entries.push(common === undefined ? { kind: 'object', row } : { kind: 'prefix', prefix: common })
    }
    const lastRow = found.at(-1)
    if (found.length < limit || lastRow === undefined) return { entries, next: undefined }
    if (skipped === undefined) {
      from = { key: lastRow.key, isIncluded: false }
      limit = Math.min(manyRows, limit * 4)
    } else {
      const behind = successorOf(skipped)
      if (behind === undefined) return { entries, next: undefined }
      from = { key: behind, isIncluded: true }
      limit = fewRows
    }
  }
}

/** A page may end with a common prefix; the next page skips all its keys. */
function startOf({ prefix, delimiter, after }: ListQuery): { key: string; isIncluded: boolean } {
  if (compareBytes(after, prefix) < 0) return { key: prefix, isIncluded: true }
  const common = commonPrefixOf(after, prefix, delimiter)
  const behind = common === after ? successorOf(after) : undefined
  return behind === undefined ? { key: after, isIncluded: false } : { key: behind, isIncluded: true }
}

function nameOf(entry: ListEntry): string {
  return entry.kind === 'object' ? entry.row.key : entry.prefix
}

function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at === -1 ? undefined : key.slice(0, at + delimiter.length)
}
