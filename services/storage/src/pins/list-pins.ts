import type { CallArguments, listPins as listPinsCall } from '@cairn/protocol'
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { readCidText } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { yieldToOthers } from '../resources/yield-to-others.ts'
import type { PinRow } from './store.ts'

/** Parsed filters of a list. */
export type PinQuery = CallArguments<typeof listPinsCall>['query']

/** Pins of an account from a time on, and before another. */
type Range = { from?: number | undefined; before?: number | undefined }

/** JSON of texts that PostgreSQL has no form of. JavaScript escapes only these, and with an odd number of backslashes. */
const unreadable = String.raw`(^|[^\\])(\\\\)*\\u(0000|d[89a-f])`

/** Pins read per step of a list without an index: a few milliseconds of the database. */
const pinsAtOnce = 5000

/**
 * Returns the matching pins of an account, newest first, and their total count without the limit. A part of a name and
 * metadata are compared in all pins of the account, in steps that let other work run in between.
 */
export async function listPins(
  { db }: Pick<Context, 'db'>,
  address: string,
  query: PinQuery,
  signal?: AbortSignal,
): Promise<{ count: number; rows: PinRow[] }> {
  const { cid, name, match, status = [], meta, limit } = query
  const rows: PinRow[] = []
  let count = 0
  const add = async (part: PinQuery, range: Range, partLimit: number) => {
    const found = await selectPins(db, address, part, range, partLimit)
    count += found.count
    rows.push(...found.rows)
    await yieldToOthers(signal)
  }
  const isPlain = cid === undefined && name === undefined && meta === undefined
  const hasIndex = cid !== undefined || (name !== undefined && match.endsWith('exact') && meta === undefined)
  if (isPlain && status.length > 1) {
    // A query for each, because only then do they come from the index in order.
    for (const one of new Set(status)) await add({ ...query, status: [one] }, {}, limit)
    rows.sort((a, b) => b.created_at - a.created_at).splice(limit)
  } else if (isPlain || hasIndex) await add(query, {}, limit)
  else for await (const range of steps(db.read, address, query)) await add(query, range, limit - rows.length)
  return { count, rows: await addSizes(db, rows) }
}

async function selectPins(
  { read, kind }: Context['db'],
  address: string,
  query: PinQuery,
  range: Range,
  limit: number,
): Promise<{ count: number; rows: PinRow[] }> {
  const matching = read
    .selectFrom('pin')
    .where((eb) => eb.and([...conditionsOf(eb, kind, address, query), ...timesOf(eb, range)]))
  const found = await matching.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  const count = Number(found.count)
  if (count === 0 || limit <= 0) return { count, rows: [] }
  return { count, rows: await matching.selectAll().orderBy('created_at', 'desc').limit(limit).execute() }
}

/** Splits the pins of an account into ranges, newest first. Their times are unique. */
async function* steps(
  db: Kysely<Schema>,
  address: string,
  { before: end }: PinQuery,
): AsyncGenerator<Range, void, undefined> {
  for (let before = end; ; ) {
    let older = db.selectFrom('pin').select('created_at').where('address', '=', address)
    if (before !== undefined) older = older.where('created_at', '<', before)
    const last = await older
      .orderBy('created_at', 'desc')
      .limit(1)
      .offset(pinsAtOnce - 1)
      .executeTakeFirst()
    yield { from: last?.created_at, before }
    if (last === undefined) return
    before = last.created_at
  }
}

function timesOf(eb: ExpressionBuilder<Schema, 'pin'>, { from, before }: Range): Expression<SqlBool>[] {
  const times: Expression<SqlBool>[] = []
  if (from !== undefined) times.push(eb('created_at', '>=', from))
  if (before !== undefined) times.push(eb('created_at', '<', before))
  return times
}

async function addSizes(db: Context['db'], rows: readonly PinRow[]): Promise<PinRow[]> {
  const ids = rows.flatMap(({ upload_id: id }) => id ?? [])
  if (ids.length === 0) return [...rows]
  const sizes = await db.read
    .selectFrom('upload')
    .select(['id', 'size_bytes', 'dag_size_bytes'])
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(sizes.map(({ id, ...size }) => [id, size]))
  return rows.map((row) => ({ ...row, ...byId.get(row.upload_id ?? '') }))
}

function conditionsOf(
  eb: ExpressionBuilder<Schema, 'pin'>,
  kind: Context['db']['kind'],
  address: string,
  { cid, name, match, status, before, after, meta }: PinQuery,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [cid === undefined ? eb('address', '=', address) : pinsOf(eb, address, cid)]
  const isFiltered = [cid, name, status, meta].some((filter) => filter !== undefined)
  const statuses = status ?? (isFiltered ? undefined : (['pinned'] as const))
  if (statuses !== undefined) {
    // The sign keeps SQLite from the index of states if another finds fewer.
    const column = kind === 'sqlite' && name !== undefined ? sql<string>`+status` : eb.ref('status')
    conditions.push(eb(column, 'in', statuses))
  }
  if (before !== undefined) conditions.push(eb('created_at', '<', before))
  if (after !== undefined) conditions.push(eb('created_at', '>', after))
  if (name !== undefined) conditions.push(nameCondition(eb, kind, name, match))
  for (const [key, value] of Object.entries(meta ?? {})) {
    conditions.push(
      kind === 'sqlite'
        ? sql<SqlBool>`exists (select 1 from json_each(pin.meta) where key = ${key} and value = ${value})`
        : // PostgreSQL cannot read metadata that has U+0000 or half of a character, which no filter can ask for there.
          sql<SqlBool>`case when pin.meta !~ ${unreadable} then (pin.meta::jsonb ->> ${key}::text) = ${value}::text end`,
    )
  }
  return conditions
}

/** A subquery, because SQLite would otherwise read all pins of the account, in their order. */
function pinsOf(eb: ExpressionBuilder<Schema, 'pin'>, address: string, cids: readonly string[]): Expression<SqlBool> {
  const texts = cids.map((text) => readCidText(text)?.toV1().toString() ?? text)
  const own = eb.selectFrom('pin as own').select('own.id').where('own.address', '=', address)
  return eb('id', 'in', own.where('own.cid_v1', 'in', texts))
}

function nameCondition(
  eb: ExpressionBuilder<Schema, 'pin'>,
  kind: Context['db']['kind'],
  name: string,
  match: PinQuery['match'],
): Expression<SqlBool> {
  const ignoresCase = match.startsWith('i')
  const column = ignoresCase ? 'name_lower' : 'name'
  const text = ignoresCase ? name.toLowerCase() : name
  if (match.endsWith('exact')) return eb(column, '=', text)
  const position = kind === 'sqlite' ? sql`instr` : sql`strpos`
  return sql<SqlBool>`${position}(${sql.ref(column)}, ${text}) > 0`
}
