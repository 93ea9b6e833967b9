import { type CallResult, type KeyEventRow, type listKeyEvents, maxKeyEventRows } from '@cairn/protocol'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

const defaultRows = 100
/** Addresses listed per change. */
const maxListed = 100

/** What changes store about the addresses that they concern. */
const concerned = v.object({
  shareTo: v.optional(v.array(v.string()), []),
  revokeTo: v.optional(v.array(v.string()), []),
  to: v.optional(v.string()),
})

type Filter = { cid?: string | undefined; before?: number | undefined; limit?: number | undefined }

/**
 * Lists accesses to the files of an address, and its changes, newest first. Repairs are left out: the change that a
 * node catches up with is in the log of the others.
 */
export async function listEvents(
  { db, accesses, config }: Context,
  address: string,
  { cid, before = Number.MAX_SAFE_INTEGER, limit = defaultRows }: Filter,
): Promise<CallResult<typeof listKeyEvents>> {
  // Also lists accesses of the last second.
  await accesses.flush()
  const rows = Math.min(limit, maxKeyEventRows) + 1
  const accessRows = await (cid === undefined
    ? db.read.selectFrom('access')
    : db.read.selectFrom(rowsOf('access', cid).as('access'))
  )
    .leftJoin('key', 'key.cid', 'access.cid')
    .select(['access.cid', 'cid_as_given', 'address', 'outcome', 'count', 'first_at', 'last_at'])
    .where('access.owner', '=', address)
    .where('last_at', '<', before)
    .orderBy('last_at', 'desc')
    .limit(rows)
    .execute()
  const changeRows = await (cid === undefined
    ? db.read.selectFrom('change')
    : db.read.selectFrom(rowsOf('change', cid).as('change'))
  )
    .innerJoin('key', 'key.cid', 'change.cid')
    .select(['cid_as_given', 'change.version', 'kind', 'change.id', 'by_address', 'arguments', 'at'])
    .where('by_address', '=', address)
    .where('kind', '!=', 'repair')
    .where('at', '<', before)
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(rows)
    .execute()
  const events: KeyEventRow[] = [
    ...accessRows.map((row) => ({
      kind: row.outcome,
      cid: row.cid_as_given ?? row.cid,
      address: row.address,
      since: row.first_at,
      at: row.last_at,
      count: row.count,
    })),
    ...changeRows.map((row) => ({
      kind: row.kind,
      cid: row.cid_as_given,
      address: row.by_address,
      at: row.at,
      version: row.version,
      id: row.id,
      addresses: addressesOf(row.arguments),
    })),
  ].sort((a, b) => b.at - a.at)
  return {
    events: events.slice(0, rows - 1),
    hasMore: events.length >= rows,
    accessLogDays: config.accessLogDays,
  }
}

/** The rows of a file. Read first: a database would else read all of the address, in the order of time. */
function rowsOf<Name extends 'access' | 'change'>(table: Name, cid: string): RawBuilder<Selectable<Schema[Name]>> {
  return sql`(with found as materialized (select * from ${sql.table(table)} where cid = ${cid}) select * from found)`
}

function addressesOf(stored: string): string[] {
  const { shareTo, revokeTo, to } = v.parse(concerned, JSON.parse(stored))
  return [...shareTo, ...revokeTo, ...(to === undefined ? [] : [to])].slice(0, maxListed)
}
