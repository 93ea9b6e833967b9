import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { packHeaderBytes } from '../manifest.ts'
import { placeColumns } from '../pack-place.ts'
import type { MergeablePack } from './write-merged.ts'

const packsInOneQuery = 500
const mergedInOneQuery = 100
/** Age at which a merged pack is written again for any bytes that are not needed. */
const maxDeadMs = 30 * 86_400_000

/** Which packs are small and old enough. */
type Limits = { maxPackBytes: number; minAgeMs: number }

/** No larger pack is merged. The literal below is the same. */
export const mergeableBytes = 1_048_576

/**
 * Packs with an object of their own that uploads need and that nothing else refers to. A literal condition, so that the
 * databases use the index.
 */
const isSmall = sql<boolean>`state = 'live' and unreferenced_at is null and is_pieced = 0
  and merged_id is null and is_merged = 0 and size_bytes < 1048576`

/** Whether a pack may be merged. */
function isMergeable({ maxPackBytes, minAgeMs }: Limits, now: number) {
  return ({ and, eb }: ExpressionBuilder<Schema, 'pack'>) =>
    and([
      isSmall,
      eb('size_bytes', '<', maxPackBytes),
      eb('created_at', '<=', now - minAgeMs),
      eb('hold', 'is', null),
      eb('missing_at', 'is', null),
      isSound,
    ])
}

/** Whether no block of a pack is known to be damaged. */
const isSound = sql<boolean>`not exists
  (select 1 from block where block.pack_id = pack.id and block.damaged_at is not null)`

const columns = ['id', 'size_bytes', 'block_count', 'created_at', 'is_private', ...placeColumns] as const

/** Finds small packs, oldest first. */
export async function* findMergeable(db: Database, limits: Limits, now: number): AsyncGenerator<MergeablePack> {
  for (let after = -1n; ; ) {
    const found = await db.read
      .selectFrom('pack')
      .select(columns)
      .where(isMergeable(limits, now))
      .where('id', '>', after)
      .orderBy('id')
      .limit(packsInOneQuery)
      .execute()
    yield* found
    after = found.at(-1)?.id ?? after
    if (found.length < packsInOneQuery) return
  }
}

/** Counts the packs that {@link findMergeable} finds. */
export async function countMergeable(
  db: Database,
  limits: Limits,
  now: number,
): Promise<{ packs: number; bytes: number }> {
  const row = await db.read
    .selectFrom('pack')
    .where(isMergeable(limits, now))
    .select(({ fn }) => [fn.countAll<number>().as('packs'), fn.sum<number | null>('size_bytes').as('bytes')])
    .executeTakeFirstOrThrow()
  return { packs: Number(row.packs), bytes: Number(row.bytes ?? 0) }
}

type MergedRow = { id: bigint; size_bytes: number; end: number; created_at: number } & Record<
  'members' | 'needed' | 'needed_bytes' | 'pieced',
  number
>

/**
 * Finds the packs that uploads still need in merged packs with bytes that they do not need: more than half of them, or
 * any in a merged pack that is {@link maxDeadMs} old. These are written again, so that deleted content leaves the disk.
 * Merged packs that hold none any more are left to the removal of packs.
 */
export async function* findSparse(db: Database, now: number): AsyncGenerator<MergeablePack> {
  for (let after = -1n; ; ) {
    const { rows } = await sql<MergedRow>`
      select pack.id, pack.size_bytes, pack.merged_offset_bytes as "end", pack.created_at, count(member.id) as members,
        sum(case when member.unreferenced_at is null and member.id is not null then 1 else 0 end) as needed,
        sum(case when member.unreferenced_at is null then member.size_bytes else 0 end) as needed_bytes,
        sum(member.is_pieced) as pieced
      from pack left join pack as member on member.merged_id = pack.id
      where pack.is_merged = 1 and pack.id > ${after}
        and pack.state = 'live' and pack.unreferenced_at is null and pack.missing_at is null
      group by pack.id, pack.size_bytes, pack.merged_offset_bytes, pack.created_at
      order by pack.id limit ${mergedInOneQuery}`.execute(db.read)
    for (const row of rows) {
      if (Number(row.members) === 0) await releaseEmpty(db, row.id, now)
      else if (Number(row.pieced) === 0 && isSparse(row, now)) yield* await membersOf(db, row.id)
    }
    after = rows.at(-1)?.id ?? after
    if (rows.length < mergedInOneQuery) return
  }
}

function isSparse(row: MergedRow, now: number): boolean {
  // Its members have no headers; the object has one.
  const neededBytes = Number(row.needed_bytes) - (Number(row.needed) - 1) * packHeaderBytes
  return neededBytes < row.size_bytes / 2 || (neededBytes < row.end && row.created_at <= now - maxDeadMs)
}

async function membersOf(db: Database, mergedId: bigint): Promise<MergeablePack[]> {
  return db.read
    .selectFrom('pack')
    .select(columns)
    .where('merged_id', '=', mergedId)
    .where('state', '=', 'live')
    .where('unreferenced_at', 'is', null)
    .where('hold', 'is', null)
    .where('is_pieced', '=', 0)
    .where(isSound)
    .orderBy('id')
    .execute()
}

async function releaseEmpty(db: Database, id: bigint, now: number): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('pack')
      .set({ unreferenced_at: now })
      .where('id', '=', id)
      .where('unreferenced_at', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('pack as member').select('member.id').whereRef('member.merged_id', '=', 'pack.id'))),
      )
      .execute(),
  )
}
