import { CairnError, listPageRows } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { yieldToOthers } from '../resources/yield-to-others.ts'
import { type Candidates, findCandidates, stepsByTime } from '../search/search.ts'
import {
  type Cursor,
  countMatches,
  type Filter,
  type Listing,
  type Range,
  type Sorting,
  selectMatches,
  selectPage,
  skipRows,
} from './list-queries.ts'
import { selectUpload, selectUploadCount, type UploadRow } from './store.ts'

/** Options of a listing. */
export type ListOptions = {
  /** Id of the last row of the previous page. */
  lastKey: string | null | undefined
  /** Number of a page from 1, if there is neither a row before it nor a filter. Defaults to 1. */
  page?: number | undefined
  sorting: Sorting
  filter: Filter | undefined
  limit: number | undefined
  signal: AbortSignal
}

/** Rows read per step when a filter applies: a few milliseconds of the database. */
const rowsAtOnce = 10_000
/** Lifetime of a cached match count. */
const countLifetimeMs = 10_000
/** Maximum number of cached counts. */
const maxCounts = 1000

const counts = new WeakMap<object, Map<string, { total: number; countedAt: number }>>()

/**
 * Returns one page of an account's uploads. Without a filter, the cost does not depend on the number of rows. A search
 * of three or more characters reads the rows that the index of names finds. Another filter, and the total of a search
 * with more than some thousand matches, read every row, in steps that let other work run in between. The total of a
 * filter may be ten seconds old.
 *
 * @throws CairnError INVALID_REQUEST for a `lastKey` that names no upload.
 */
export async function listFiles(
  context: Pick<Context, 'db' | 'clock'>,
  address: string,
  { lastKey, page = 1, sorting, filter, limit = listPageRows, signal }: ListOptions,
): Promise<{ rows: UploadRow[]; total: number }> {
  const db = context.db.read
  const listing: Listing = { db, address, sorting }
  let after = lastKey == null ? undefined : await findCursor(listing, lastKey)
  if (filter === undefined) {
    for (let left = (page - 1) * limit; left > 0; left -= rowsAtOnce) {
      await yieldToOthers(signal)
      after = await skipRows(listing, after, Math.min(left, rowsAtOnce))
      if (after === undefined) break
    }
    const rows = page > 1 && after === undefined ? [] : await selectPage(listing, after, limit)
    return { rows, total: await selectUploadCount(db, address) }
  }
  const { search } = filter
  const found = search === undefined ? undefined : await findCandidates(context.db, address, search)
  const rows: UploadRow[] = []
  for await (const range of rangesOf(listing, after, found)) {
    await yieldToOthers(signal)
    rows.push(...(await selectMatches(listing, range, filter, limit - rows.length)))
    if (rows.length >= limit) break
  }
  return { rows, total: await countAll(context, listing, { filter, found }, signal) }
}

/** Splits the rows after a cursor that may match into ranges, in order. */
function rangesOf(
  listing: Listing,
  after: Cursor | undefined,
  found: Candidates | undefined,
): AsyncIterable<Range> | Range[] {
  if (found?.kind === 'sqlite' && listing.sorting.by === 'created_at') return rangesByTime(listing, after, found)
  return found?.isSmall ? [{ after, candidates: found }] : steps(listing, after)
}

async function* rangesByTime(
  { db, sorting }: Listing,
  after: Cursor | undefined,
  found: Candidates,
): AsyncGenerator<Range, void, undefined> {
  const startMs = after === undefined ? undefined : Number(after.value)
  for await (const candidates of stepsByTime(db, found, sorting.order, startMs)) yield { after, candidates }
}

/** Finds where the previous page ended. The row may be deleted, but its id still contains its time. */
async function findCursor({ db, address, sorting: { by } }: Listing, id: string): Promise<Cursor> {
  const row = await selectUpload(db, address, id)
  if (row !== undefined) return { value: row[by], id }
  const time = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id)
  if (by === 'created_at' && time !== null) return { value: Number.parseInt(`${time[1]}${time[2]}`, 16), id }
  throw new CairnError('INVALID_REQUEST', {
    message: 'lastKey is not an upload of this account',
    details: { issues: [{ field: 'query.lastKey', message: 'is not an upload of this account' }] },
  })
}

async function countAll(
  context: Pick<Context, 'db' | 'clock'>,
  listing: Listing,
  { filter, found }: { filter: Filter; found: Candidates | undefined },
  signal: AbortSignal,
): Promise<number> {
  const known = counts.get(context.db) ?? new Map<string, { total: number; countedAt: number }>()
  counts.set(context.db, known)
  const key = JSON.stringify([listing.address, filter])
  const now = context.clock.now()
  const remembered = known.get(key)
  if (remembered !== undefined && Math.abs(now - remembered.countedAt) < countLifetimeMs) return remembered.total
  let total = 0
  const ranges = found?.isSmall ? [{ candidates: found }] : steps(listing, undefined)
  for await (const range of ranges) {
    await yieldToOthers(signal)
    total += await countMatches(listing, range, filter)
  }
  known.delete(key)
  known.set(key, { total, countedAt: now })
  if (known.size > maxCounts) known.delete(known.keys().next().value ?? '')
  return total
}

/** Splits all rows after a cursor into ranges. */
async function* steps(listing: Listing, start: Cursor | undefined): AsyncGenerator<Range, void, undefined> {
  for (let after = start; ; ) {
    const upTo = await skipRows(listing, after, rowsAtOnce)
    yield { after, upTo }
    if (upTo === undefined) return
    after = upTo
  }
}
