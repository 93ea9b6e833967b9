import { CairnError } from '@cairn/protocol'
import { isUniqueViolation, prepareStatement, type StatementParams } from '@cairn/service'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { PackHold, Schema } from '../../db/schema.ts'
import { isUsed } from '../pack-use.ts'
import { countRemoval } from '../removal/removals.ts'
import type { OwnPack, SealedPack } from '../types.ts'

/** Larger packs get their rows before their upload, in units of this size, so that every unit is short. */
const blocksInOneUnit = 4096
/** Blocks of a large pack that are sorted before their rows are written. */
const blocksSortedTogether = 4 * blocksInOneUnit
const rowsInOneInsert = 256
export const idsInOneList = 500

type Block = { multihash: Uint8Array; offset: number; length: number }

/** Inserts the rows of a pack and links it to its upload. @throws CairnError CONFLICT */
export async function recordPack(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  { own, dependsOn }: SealedPack,
  uploadId: string,
): Promise<void> {
  const isNew =
    own !== undefined && !own.isIndexed && (await insertPack(trx, own, { unreferenced_at: null, hold: null }))
  if (isNew) await insertBlocks(trx, kind, own.id, sortByKey([...own.blocks]))
  await referencePacks(trx, own === undefined || isNew ? dependsOn : [...dependsOn, own.id])
  const needed = own === undefined ? dependsOn : [...dependsOn, own.id]
  const [only, ...more] = needed
  if (only !== undefined && more.length === 0) return void (await insertReference(trx, { uploadId, packId: only }))
  for (const some of chunksOf(needed, idsInOneList)) {
    await trx
      .insertInto('upload_pack')
      .values(some.map((packId) => ({ upload_id: uploadId, pack_id: packId })))
      .execute()
  }
}

const insertReference = prepareStatement(
  (trx: Kysely<Schema>, param: StatementParams<{ uploadId: string; packId: bigint }>) =>
    trx.insertInto('upload_pack').values({ upload_id: param('uploadId'), pack_id: param('packId') }),
)

type PackValues = Pick<OwnPack, 'id' | 'objectKey' | 'sizeBytes' | 'createdAt'> & {
  blockCount: number
  isPrivate: 0 | 1
  unreferencedAt: number | null
  hold: PackHold | null
}

/** Returns no row when there is one with the same id or object. */
const insertPackRow = prepareStatement((trx: Kysely<Schema>, param: StatementParams<PackValues>) =>
  trx
    .insertInto('pack')
    .values({
      id: param('id'),
      object_key: param('objectKey'),
      size_bytes: param('sizeBytes'),
      block_count: param('blockCount'),
      state: 'live',
      created_at: param('createdAt'),
      unreferenced_at: param('unreferencedAt'),
      hold: param('hold'),
      scrubbed_at: null,
      is_private: param('isPrivate'),
    })
    // Without a column: of two units that insert the same pack, PostgreSQL can fail one on the key of the object.
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

/**
 * Marks packs as needed. This also locks their rows, so that none of them is removed before the unit is committed. A
 * pack whose rows were written ahead is no longer pending.
 */
export async function referencePacks(trx: Kysely<Schema>, packIds: readonly bigint[]): Promise<void> {
  for (const some of chunksOf(packIds, idsInOneList)) {
    const { numUpdatedRows } = await trx
      .updateTable('pack')
      .set({ unreferenced_at: null, hold: sql`case when hold = 'pending' then null else hold end` })
      .where('id', 'in', some)
      .where('state', '=', 'live')
      .executeTakeFirstOrThrow()
    if (numUpdatedRows !== BigInt(some.length)) {
      throw new CairnError('CONFLICT', { message: 'Some of the stored data was deleted during the upload' })
    }
  }
}

/**
 * Writes the rows of a large pack ahead of its upload, in several units. Until the upload is recorded the pack is
 * pending: unreferenced, but not eligible for removal. Returns false for a small pack, for which nothing is written.
 */
export async function indexAhead(db: Database, own: OwnPack): Promise<boolean> {
  if (own.blocks.count <= blocksInOneUnit) return false
  await db.write((trx) => insertPack(trx, own, { unreferenced_at: own.createdAt, hold: 'pending' }))
  await insertBlocksInUnits(db, own)
  return true
}

/** Writes the rows of all blocks of a pack in several units of work. */
export async function insertBlocksInUnits(db: Database, own: OwnPack): Promise<void> {
  let batch: Block[] = []
  const flush = async (): Promise<void> => {
    const blocks = sortByKey(batch)
    batch = []
    for (const some of chunksOf(blocks, blocksInOneUnit)) {
      await db.write((trx) => insertBlocks(trx, db.kind, own.id, some))
    }
  }
  for (const block of own.blocks) {
    batch.push(block)
    if (batch.length === blocksSortedTogether) await flush()
  }
  await flush()
}

/** Bits of the key by which blocks are sorted; the position of a block follows them in one exact number. */
const sortedBits = 32
const positions = 2 ** (53 - sortedBits)

/**
 * Sorts blocks roughly by multihash, the first column of their table's key: neighbours share pages, which are then
 * read, changed and logged once. Functions other than SHA2-256 have longer prefixes; their order is as good as before.
 */
function sortByKey(blocks: readonly Block[]): Block[] {
  const keys = new Float64Array(blocks.length)
  for (const [at, { multihash }] of blocks.entries()) {
    const [, , a = 0, b = 0, c = 0, d = 0] = multihash
    keys[at] = (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) * positions + at
  }
  keys.sort()
  return Array.from(keys, (key) => blocks[key % positions]).filter((block) => block !== undefined)
}

/**
 * Returns false when the row exists: several uploads may share one sealed pack.
 * @throws CairnError CONFLICT if the id or the object belongs to another pack
 */
export async function insertPack(
  trx: Kysely<Schema>,
  own: OwnPack,
  standing: { unreferenced_at: number | null; hold: PackHold | null },
): Promise<boolean> {
  const { id, objectKey, sizeBytes, createdAt, isPrivate, blocks } = own
  const [inserted] = await insertPackRow(trx, {
    id,
    objectKey,
    sizeBytes,
    createdAt,
    blockCount: blocks.count,
    isPrivate: isPrivate ? 1 : 0,
    unreferencedAt: standing.unreferenced_at,
    hold: standing.hold,
  })
  if (inserted !== undefined) return true
  const same = await trx
    .selectFrom('pack')
    .select('id')
    .where('id', '=', own.id)
    .where('object_key', '=', own.objectKey)
    .where('size_bytes', '=', own.sizeBytes)
    .executeTakeFirst()
  if (same !== undefined) return false
  throw new CairnError('CONFLICT', { message: 'Another pack has the id or the object of this one' })
}

/** Inserts the rows of blocks: many rows per statement, few different statements. */
export async function insertBlocks(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  packId: bigint,
  blocks: readonly Block[],
): Promise<void> {
  const step = kind === 'sqlite' ? rowsInOneInsert : blocksInOneUnit
  for (const some of chunksOf(blocks, step)) {
    if (kind === 'postgres') {
      const columns = [some.map((b) => Buffer.from(b.multihash)), some.map((b) => b.offset), some.map((b) => b.length)]
      await trx.executeQuery(CompiledQuery.raw(unnestStatement, [packId, ...columns]))
    } else if (some.length === rowsInOneInsert) {
      await trx.executeQuery(CompiledQuery.raw(insertStatement(rowsInOneInsert), rowValues(packId, some)))
    } else {
      for (const block of some)
        await trx.executeQuery(CompiledQuery.raw(insertStatement(1), rowValues(packId, [block])))
    }
  }
}

const unnestStatement = `insert into block (multihash, pack_id, offset_bytes, length_bytes)
  select multihash, $1, place, size from unnest($2::bytea[], $3::int8[], $4::int8[]) as given (multihash, place, size)`

const insertStatements = new Map<number, string>()

function insertStatement(rows: number): string {
  const known = insertStatements.get(rows)
  if (known !== undefined) return known
  const places = Array.from({ length: rows }, () => '(?, ?, ?, ?)').join(', ')
  const statement = `insert into block (multihash, pack_id, offset_bytes, length_bytes) values ${places}`
  insertStatements.set(rows, statement)
  return statement
}

function rowValues(packId: bigint, blocks: readonly Block[]): unknown[] {
  const values: unknown[] = []
  for (const { multihash, offset, length } of blocks) values.push(multihash, packId, offset, length)
  return values
}

export function* chunksOf<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}

/** Removes the references of uploads; packs that are no longer needed or held are stamped with the time. */
export async function releasePacks(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  uploadIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const packIds = await findPacksOf(trx, uploadIds)
  // Locks the packs first: of two concurrent removals, the second must see the first one's. Until here all are needed.
  if (packIds.length > 1) await lockPacks(trx, kind, packIds)
  for (const some of chunksOf(packIds, idsInOneList)) {
    await trx.updateTable('pack').set({ unreferenced_at: null }).where('id', 'in', some).execute()
  }
  for (const some of chunksOf(uploadIds, idsInOneList)) {
    await trx.deleteFrom('upload_pack').where('upload_id', 'in', some).execute()
  }
  await stampUnused(trx, packIds, nowMs)
}

/** Returns the ids of the packs that uploads need. */
export async function findPacksOf(trx: Kysely<Schema>, uploadIds: readonly string[]): Promise<bigint[]> {
  const found = new Set<bigint>()
  for (const some of chunksOf(uploadIds, idsInOneList)) {
    const rows = await trx
      .selectFrom('upload_pack')
      .select('pack_id')
      .distinct()
      .where('upload_id', 'in', some)
      .execute()
    for (const { pack_id } of rows) found.add(pack_id)
  }
  return [...found]
}

/** Locks packs in the order of their ids: in different orders, two units wait for each other. SQLite has one writer. */
export async function lockPacks(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  packIds: readonly bigint[],
): Promise<void> {
  if (kind === 'sqlite') return
  const ordered = [...packIds].sort((a, b) => (a < b ? -1 : 1))
  for (const some of chunksOf(ordered, idsInOneList)) {
    await trx.selectFrom('pack').select('id').where('id', 'in', some).orderBy('id').forNoKeyUpdate().execute()
  }
}

/** Stamps those of some locked packs that nothing needs or holds any more, unless they have an earlier stamp. */
export async function stampUnused(trx: Kysely<Schema>, packIds: readonly bigint[], now: number): Promise<void> {
  for (const some of chunksOf(packIds, idsInOneList)) {
    await trx
      .updateTable('pack')
      .set({ unreferenced_at: now })
      .where('id', 'in', some)
      .where('hold', 'is', null)
      .where('unreferenced_at', 'is', null)
      .where(({ not }) => not(isUsed))
      .execute()
  }
}

/** When to remove a pack whose upload was not recorded. */
type Condemnation =
  /** Immediately: its own process discards it. */
  | { hold: null }
  /** After the grace period from `since`: its process is gone. */
  | { hold: 'abandoned'; since: number }

/**
 * Ensures that a sealed pack never becomes part of an upload: its row, new or existing, marks it for removal. An
 * upload whose commit is still in doubt then fails on that row, or already has it, in which case the result is false.
 */
export async function condemnPack(
  db: Database,
  own: Pick<OwnPack, 'id' | 'objectKey' | 'sizeBytes' | 'createdAt'>,
  fate: Condemnation,
): Promise<boolean> {
  const standing = {
    state: 'removing',
    hold: fate.hold,
    unreferenced_at: fate.hold === null ? own.createdAt : fate.since,
  } as const
  try {
    return await db.write(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('pack')
        .set(standing)
        .where('id', '=', own.id)
        .where('hold', '=', 'pending')
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) {
        // Replicas may have cached its blocks.
        await countRemoval(trx)
        return true
      }
      await trx
        .insertInto('pack')
        .values({
          id: own.id,
          object_key: own.objectKey,
          size_bytes: own.sizeBytes,
          block_count: 0,
          created_at: own.createdAt,
          scrubbed_at: null,
          ...standing,
        })
        .execute()
      return true
    })
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}
