import type { CallArguments, listPins as listPinsCall } from '@cairn/protocol'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { readCidText } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { PinRow } from './store.ts'

/** Parsed filters of a list. */
export type PinQuery = CallArguments<typeof listPinsCall>['query']

/** Returns the matching pins of an account, newest first, and their total count without the limit. */
export async function listPins(
  { db }: Pick<Context, 'db'>,
  address: string,
  query: PinQuery,
): Promise<{ count: number; rows: PinRow[] }> {
  const fits = (eb: ExpressionBuilder<Schema, 'pin'>) => eb.and(conditionsOf(eb, db.kind, address, query))
  const { count } = await db.read
    .selectFrom('pin')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(fits)
    .executeTakeFirstOrThrow()
  const rows = await db.read
    .selectFrom('pin')
    .selectAll()
    .where(fits)
    .orderBy('created_at', 'desc')
    .limit(query.limit)
    .execute()
  return { count: Number(count), rows: await addSizes(db, rows) }
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
  if (statuses !== undefined) conditions.push(eb('status', 'in', statuses))
  if (before !== undefined) conditions.push(eb('created_at', '<', before))
  if (after !== undefined) conditions.push(eb('created_at', '>', after))
  if (name !== undefined) conditions.push(nameCondition(eb, kind, name, match))
  for (const [key, value] of Object.entries(meta ?? {})) {
    conditions.push(
      kind === 'sqlite'
        ? sql<SqlBool>`exists (select 1 from json_each(pin.meta) where key = ${key} and value = ${value})`
        : sql<SqlBool>`(pin.meta::jsonb ->> ${key}::text) = ${value}::text`,
    )
  }
  return conditions
}

/** In a query of its own: SQLite would else read all pins of the account, in their order. */
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
