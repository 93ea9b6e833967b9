import { CairnError, listPageRows } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import {
  type Cursor,
  countMatches,
  type Filter,
  type Sorting,
  selectMatches,
  selectPage,
  selectUpload,
  selectUploadCount,
  skipRows,
  type UploadRow,
} from './store.ts'

/** What of a listing is asked for. */
export type ListOptions = {
  /** Id of the last row of the page before. */
  lastKey: string | null | undefined
  sorting: Sorting
  filter: Filter | undefined
  limit: number | undefined
  signal: AbortSignal
}

/** Rows looked at in one go when a filter must be applied: some milliseconds of the database. */
const rowsAtOnce = 10_000
/** How long the number of matches of a filter is taken to stand. */
const countLifetimeMs = 10_000
/** Numbers remembered at most. */
const countsMost = 1000

const counts = new WeakMap<object, Map<string, { total: number; countedAt: number }>>()

/**
 * One page of an account's uploads. Without a filter it costs the same among a million rows as among a thousand. A filter
 * looks at every row, in steps between which others get their turn; its total may be ten seconds old.
 *
 * @throws CairnError INVALID_REQUEST for a `lastKey` that names no upload.
 */
export async function listFiles(
  context: Context,
  address: string,
  { lastKey, sorting, filter, limit = listPageRows, signal }: ListOptions,
): Promise<{ rows: UploadRow[]; total: number }> {
  const db = context.db.read
  const after = lastKey == null ? undefined : await findCursor(db, address, sorting, lastKey)
  if (filter === undefined) {
    const rows = await selectPage(db, address, sorting, after, limit)
    return { rows, total: await selectUploadCount(db, address) }
  }
  const rows: UploadRow[] = []
  for await (const range of steps(db, address, sorting, after, signal)) {
    rows.push(...(await selectMatches(db, address, sorting, range, filter, limit - rows.length)))
    if (rows.length >= limit) break
  }
  return { rows, total: await countAll(context, address, sorting, filter, signal) }
}

/** Where the page before ended. The row may be gone by now: its id still tells its time. */
async function findCursor(db: Kysely<Schema>, address: string, { by }: Sorting, id: string): Promise<Cursor> {
  const row = await selectUpload(db, address, id)
  if (row !== undefined) return { value: row[by], id }
  const time = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id)
  if (by === 'created_at' && time !== null) return { value: Number.parseInt(`${time[1]}${time[2]}`, 16), id }
  throw new CairnError('INVALID_REQUEST', {
    message: 'lastKey names no upload of this account',
    details: { field: 'lastKey' },
  })
}

async function countAll(
  context: Context,
  address: string,
  sorting: Sorting,
  filter: Filter,
  signal: AbortSignal,
): Promise<number> {
  const known = counts.get(context.db) ?? new Map<string, { total: number; countedAt: number }>()
  counts.set(context.db, known)
  const key = JSON.stringify([address, filter])
  const now = context.clock.now()
  const remembered = known.get(key)
  if (remembered !== undefined && Math.abs(now - remembered.countedAt) < countLifetimeMs) return remembered.total
  let total = 0
  for await (const range of steps(context.db.read, address, sorting, undefined, signal)) {
    total += await countMatches(context.db.read, address, sorting, range, filter)
  }
  known.delete(key)
  known.set(key, { total, countedAt: now })
  if (known.size > countsMost) known.delete(known.keys().next().value ?? '')
  return total
}

/** Cuts all rows behind a cursor into ranges, giving way to others before each. */
async function* steps(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  start: Cursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ after: Cursor | undefined; upTo: Cursor | undefined }, void, undefined> {
  for (let after = start; ; ) {
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    const upTo = await skipRows(db, address, sorting, after, rowsAtOnce)
    yield { after, upTo }
    if (upTo === undefined) return
    after = upTo
  }
}
