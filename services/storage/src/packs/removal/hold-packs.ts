import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import type { SealedPack } from '../types.ts'
import {
  chunksOf,
  idsInOneList,
  insertBlocks,
  insertPack,
  lockPacks,
  referencePacks,
  stampUnused,
} from '../writing/record-pack.ts'
import { countRemoval } from './removals.ts'

/** A pack that is being removed, according to its row. */
export type ReleasedPack = { id: bigint; objectKey: string }

/** Whether a finished upload needs a pack. */
const isListed = sql<boolean>`exists (select 1 from upload_pack where upload_pack.pack_id = pack.id)`

/**
 * Inserts the rows of a sealed pack of an unfinished upload, which holds it and the packs that it depends on until
 * {@link releaseHeld}. No other upload relies on the new pack before that.
 * @throws CairnError CONFLICT when a pack was removed meanwhile
 */
export async function holdPacks(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  { own, dependsOn }: SealedPack,
  holderId: string,
): Promise<void> {
  if (own !== undefined) {
    if (own.isIndexed) await keepPending(trx, own.id)
    else {
      const isNew = await insertPack(trx, own, { unreferenced_at: own.createdAt, hold: 'recovered' })
      if (!isNew) throw goneMeanwhile()
      await insertBlocks(trx, kind, own.id, [...own.blocks])
    }
    await trx.insertInto('held_pack').values({ holder_id: holderId, pack_id: own.id, is_own: 1 }).execute()
  }
  await holdOthers(trx, dependsOn, holderId)
}

/**
 * Holds packs of other uploads until {@link releaseHeld}.
 * @throws CairnError CONFLICT when one was removed meanwhile
 */
export async function holdOthers(trx: Kysely<Schema>, packIds: readonly bigint[], holderId: string): Promise<void> {
  await referencePacks(trx, packIds)
  for (const some of chunksOf(packIds, idsInOneList)) {
    await trx
      .insertInto('held_pack')
      .values(some.map((pack_id) => ({ holder_id: holderId, pack_id, is_own: 0 as const })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Holds the packs that the roots of an imported pack need besides it, until all of these are listed or it is discarded. */
export const recoveredHolder = (packId: bigint): string => `recovered:${packId}`

/** A large pack has its rows already. */
async function keepPending(trx: Kysely<Schema>, id: bigint): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('pack')
    .set({ hold: 'recovered' })
    .where('id', '=', id)
    .where('state', '=', 'live')
    .where('hold', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw goneMeanwhile()
}

function goneMeanwhile(): CairnError {
  return new CairnError('CONFLICT', { message: 'The stored data was discarded before it was recorded' })
}

/** Whether a unit of work with {@link holdPacks} was committed. */
export async function isHeld(db: Kysely<Schema>, holderId: string, packId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('held_pack')
    .select('pack_id')
    .where('holder_id', '=', holderId)
    .where('pack_id', '=', packId)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns the packs that an unfinished upload holds, and checks that all of their bytes are there.
 * @throws CairnError DATA_DAMAGED
 */
export async function requireHeld(
  { db, objects }: { db: Database; objects: ObjectStore },
  holderId: string,
): Promise<bigint[]> {
  const rows = await db.read
    .selectFrom('held_pack')
    .innerJoin('pack', 'pack.id', 'held_pack.pack_id')
    .select(['pack.id', 'pack.object_key', 'pack.size_bytes', 'pack.state', 'pack.missing_at', 'held_pack.is_own'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('block')
          .select('block.pack_id')
          .whereRef('block.pack_id', '=', 'pack.id')
          .where('block.damaged_at', 'is not', null),
      ).as('is_damaged'),
    )
    .where('held_pack.holder_id', '=', holderId)
    .execute()
  for (const { object_key: key, size_bytes: sizeBytes, state, missing_at, is_own, is_damaged } of rows) {
    // Another pack may be damaged in a block that this upload does not need.
    const isIntact = is_own === 0 || (!is_damaged && (await objects.size(key)) === sizeBytes)
    if (state === 'live' && missing_at === null && isIntact) continue
    throw new CairnError('DATA_DAMAGED', { message: 'Bytes of this upload are missing', details: { pack: key } })
  }
  return rows.map(({ id }) => id)
}

/**
 * Locks the packs that an upload holds, before its account, as every unit of work does that changes the references of packs.
 * {@link releaseHeld} locks them, too.
 */
export async function lockHeld(trx: Kysely<Schema>, kind: Database['kind'], holderId: string): Promise<void> {
  const held = await trx.selectFrom('held_pack').select('pack_id').where('holder_id', '=', holderId).execute()
  await lockPacks(
    trx,
    kind,
    held.map(({ pack_id }) => pack_id),
  )
}

/**
 * Ends the hold of an upload, in the caller's unit of work: after its packs were recorded for the finished upload, or
 * when it is dropped. Returns the packs that nothing needs; their rows say that they are being removed.
 */
export async function releaseHeld(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  holderId: string,
  now: number,
): Promise<ReleasedPack[]> {
  await lockHeld(trx, kind, holderId)
  const rows = await trx
    .deleteFrom('held_pack')
    .where('holder_id', '=', holderId)
    .returning(['pack_id', 'is_own'])
    .execute()
  const released: ReleasedPack[] = []
  for (const some of chunksOf(idsOf(rows, 1), idsInOneList)) {
    const own = trx.updateTable('pack').where('id', 'in', some).where('hold', '=', 'recovered')
    await own.set({ hold: null, unreferenced_at: null }).where(isListed).execute()
    const unlisted = await own
      .set({ hold: null, unreferenced_at: now, state: 'removing' })
      .where(({ not }) => not(isListed))
      .returning(['id', 'object_key'])
      .execute()
    released.push(...unlisted.map(({ id, object_key: objectKey }) => ({ id, objectKey })))
  }
  await stampUnused(trx, idsOf(rows, 0), now)
  // Replicas may have cached their blocks.
  if (released.length > 0) await countRemoval(trx)
  return released
}

/**
 * Releases imported packs without roots that an upload needs: they are segments of it, and its root is in another pack.
 */
export async function releaseSegments(db: Database, ids: readonly bigint[]): Promise<void> {
  for (const some of chunksOf(ids, idsInOneList)) {
    await db.write((trx) =>
      trx
        .updateTable('pack')
        .set({ hold: null })
        .where('id', 'in', some)
        .where('hold', '=', 'recovered')
        .where(isListed)
        .execute(),
    )
  }
}

function idsOf(rows: readonly { pack_id: bigint; is_own: 0 | 1 }[], isOwn: 0 | 1): bigint[] {
  return rows.filter(({ is_own }) => is_own === isOwn).map(({ pack_id }) => pack_id)
}
