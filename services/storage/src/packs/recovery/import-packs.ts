import type { ObjectStore } from '@cairn/service/objects'
import { type Kysely, sql } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Database } from '../../db/database.ts'
import type { PackHold, Schema } from '../../db/schema.ts'
import { bytesKey } from '../block-key.ts'
import { mergeableBytes } from '../merging/find-mergeable.ts'
import { packIdOfKey } from '../pack-id.ts'
import { recoveredHolder, releaseHeld } from '../removal/hold-packs.ts'
import { countRemoval } from '../removal/removals.ts'
import { removeBlocks } from '../removal/remove-pack.ts'
import { findHolds } from '../store.ts'
import type { OwnPack } from '../types.ts'
import { insertBlocksInUnits, stampUnused } from '../writing/record-pack.ts'
import { type ReadPack, readPack } from './read-pack.ts'
import { holdOrphan } from './settle-comparison.ts'

const keysInOneQuery = 500
const rootsInOneQuery = 500

/** Result of importing one pack. */
export type ImportedPack = { objectKey: string; sizeBytes: number } & (
  | { kind: 'taken-in'; blocks: number; linkedUploads: number }
  /** The object is truncated, changed or not a pack. It is kept. */
  | { kind: 'unreadable' }
)

/** Dependencies of a pack import. */
export type ImportPacksParts = {
  db: Database
  objects: ObjectStore
  clock: { now(): number }
  signal?: AbortSignal | undefined
}

/**
 * Imports every pack that has no row, or a row that holds it for lack of an upload: reads the pack from its own
 * bytes, verifies each block and writes its rows. From then on its blocks can be read, and it is kept until its
 * content is listed for an account. Skips packs whose upload is in progress in a live replica. Can be interrupted and
 * repeated.
 */
export async function* importPacks(parts: ImportPacksParts): AsyncGenerator<ImportedPack> {
  const { db, objects, signal } = parts
  let batch: { id: bigint; key: string }[] = []
  const importBatch = async function* (): AsyncGenerator<ImportedPack> {
    const candidates = batch
    batch = []
    for (const pack of await findWaiting(db, objects, candidates)) {
      signal?.throwIfAborted()
      const taken = await importPack(parts, pack)
      if (taken !== undefined) yield taken
    }
  }
  for await (const key of objects.list('packs/')) {
    const id = packIdOfKey(key)
    if (id === undefined) continue
    batch.push({ id, key })
    if (batch.length === keysInOneQuery) yield* importBatch()
  }
  yield* importBatch()
}

/** Imports one pack; returns undefined when its object is gone. */
export async function importPack(
  { db, objects, clock }: ImportPacksParts,
  { id, key }: { id: bigint; key: string },
): Promise<ImportedPack | undefined> {
  const sizeBytes = await objects.size(key)
  if (sizeBytes === undefined) return undefined
  // Until all rows are written it is an orphan: neither read nor removed.
  await holdOrphan(db, { id, key }, sizeBytes, clock.now())
  const read = await readPack(objects, { id, key, sizeBytes })
  if (read === undefined) return { kind: 'unreadable', objectKey: key, sizeBytes }
  await writeRows(db, read)
  const linkedUploads =
    (await linkUploads(db, read.own, read.roots)) + (await relinkUploads({ db, objects, clock }, read.own))
  await releaseListed(db, id, read.roots, clock.now())
  return { kind: 'taken-in', objectKey: key, sizeBytes, blocks: read.own.blocks.count, linkedUploads }
}

/** Returns the packs among these that have no row, or one that holds them for lack of an upload. */
async function findWaiting(
  db: Database,
  objects: ObjectStore,
  packs: readonly { id: bigint; key: string }[],
): Promise<{ id: bigint; key: string }[]> {
  if (packs.length === 0) return []
  // Notes before rows: an object that lost its note in between has a row or is removed.
  const unconfirmed = await objects.listUnconfirmed('alive')
  const ids = packs.map(({ id }) => id)
  const rows = await findHolds(db.read, ids)
  const isSettled = (hold: PackHold | null) => hold === null || hold === 'recovered'
  const settled = new Set(rows.filter(({ hold }) => isSettled(hold)).map(({ id }) => id))
  return packs.filter(({ id, key }) => !settled.has(id) && !unconfirmed.has(key))
}

async function writeRows(db: Database, { own }: ReadPack): Promise<void> {
  // An earlier run may have been interrupted.
  await removeBlocks(db, own.id)
  await insertBlocksInUnits(db, own)
  await db.write(async (trx) => {
    await trx
      .updateTable('pack')
      .set({
        state: 'live',
        hold: 'recovered',
        size_bytes: own.sizeBytes,
        block_count: own.blocks.count,
        unreferenced_at: null,
        missing_at: null,
        is_private: own.isPrivate ? 1 : 0,
      })
      .where('id', '=', own.id)
      .execute()
    await countRemoval(trx)
  })
}

/**
 * Restores the references of uploads of these roots that refer to no pack: of a private pack, those of private uploads.
 * Returns their number.
 */
async function linkUploads(
  db: Database,
  { id: packId, isPrivate }: Pick<OwnPack, 'id' | 'isPrivate'>,
  roots: readonly CID[],
): Promise<number> {
  let linked = 0
  for (const root of roots) {
    linked += await db.write(async (trx) => {
      const uploads = await trx
        .selectFrom('upload')
        .select('id')
        .where('root_multihash', '=', root.multihash.bytes)
        .where('is_private', '=', isPrivate ? 1 : 0)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('upload_pack').select('pack_id').whereRef('upload_pack.upload_id', '=', 'upload.id'))),
        )
        .execute()
      for (const { id } of uploads) {
        await trx.insertInto('upload_pack').values({ upload_id: id, pack_id: packId }).execute()
      }
      return uploads.length
    })
  }
  return linked
}

/**
 * Links uploads of packs whose objects are gone and whose blocks are all in an imported pack: they were merged into it after the
 * backup that the database comes from. Nothing needs these packs any more. Returns the number of new references.
 */
async function relinkUploads(
  { db, objects, clock }: Pick<ImportPacksParts, 'db' | 'objects' | 'clock'>,
  { id, isPrivate }: Pick<OwnPack, 'id' | 'isPrivate'>,
): Promise<number> {
  // First finds the packs that share a block, each once, and compares each as a whole.
  const { rows: contained } = await sql<{ id: bigint; key: string }>`
    select pack.id as id, pack.object_key as key from pack
    where pack.id in (select other.pack_id from block as mine join block as other on other.multihash = mine.multihash
        where mine.pack_id = ${id} and other.pack_id <> ${id})
      and pack.state = 'live' and pack.merged_id is null and pack.is_merged = 0 and pack.size_bytes < ${mergeableBytes}
      and pack.is_private = ${isPrivate ? 1 : 0}
      and not exists (select 1 from block where block.pack_id = pack.id and not exists
        (select 1 from block as here where here.pack_id = ${id} and here.multihash = block.multihash))`.execute(db.read)
  let linked = 0
  for (const { id: formerId, key } of contained) {
    if ((await objects.size(key)) !== undefined) continue
    linked += await db.write((trx) => moveReferences(trx, formerId, id, clock.now()))
  }
  return linked
}

/** Moves the references of a pack whose object is gone to one that has all of its blocks. Returns the number of new ones. */
async function moveReferences(trx: Kysely<Schema>, from: bigint, to: bigint, now: number): Promise<number> {
  // Locks the pack first, as every change of references does.
  await trx.updateTable('pack').set({ missing_at: now }).where('id', '=', from).execute()
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('upload_pack')
    .columns(['upload_id', 'pack_id'])
    .expression((all) =>
      all
        .selectFrom('upload_pack')
        .select(({ val }) => ['upload_id', val(to).as('pack_id')])
        .where('pack_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  await trx.deleteFrom('upload_pack').where('pack_id', '=', from).execute()
  await stampUnused(trx, [from], now)
  // Replicas have cached places in it.
  await countRemoval(trx)
  return Number(numInsertedOrUpdatedRows)
}

/** Releases an imported pack, and what it holds, once an upload refers to it for each of its roots. */
export async function releaseListed(
  db: Database,
  packId: bigint,
  roots: readonly CID[],
  now: number,
): Promise<boolean> {
  if (roots.length === 0 || (await findUnlisted(db, packId, roots)).length > 0) return false
  await db.write(async (trx) => {
    await trx.updateTable('pack').set({ hold: null }).where('id', '=', packId).where('hold', '=', 'recovered').execute()
    await releaseHeld(trx, db.kind, recoveredHolder(packId), now)
  })
  return true
}

/** Returns those of its roots for which no upload, private as the pack, refers to it. */
export async function findUnlisted(db: Database, packId: bigint, roots: readonly CID[]): Promise<CID[]> {
  const listed = new Set<string>()
  for (let at = 0; at < roots.length; at += rootsInOneQuery) {
    const some = roots.slice(at, at + rootsInOneQuery).map(({ multihash }) => multihash.bytes)
    const rows = await db.read
      .selectFrom('upload')
      .innerJoin('upload_pack', 'upload_pack.upload_id', 'upload.id')
      // A private upload may refer to a public pack, too.
      .innerJoin('pack', (on) =>
        on.onRef('pack.id', '=', 'upload_pack.pack_id').onRef('pack.is_private', '=', 'upload.is_private'),
      )
      .select('upload.root_multihash')
      .distinct()
      .where('upload_pack.pack_id', '=', packId)
      .where('upload.root_multihash', 'in', some)
      .execute()
    for (const { root_multihash } of rows) listed.add(bytesKey(root_multihash))
  }
  return roots.filter(({ multihash }) => !listed.has(bytesKey(multihash.bytes)))
}
