import { sql } from 'kysely'
import type { CID } from 'multiformats/cid'
import { recountFreeStorage } from '../accounts/free-storage.ts'
import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { type CheckParts, check, type Finding } from './check.ts'
import { findOrphans } from './find-orphans.ts'
import { indexOrphan, readOrphan } from './index-orphan.ts'
import { markDamaged } from './mark-damage.ts'
import { packIdOfKey } from './pack-id.ts'
import { condemnPack } from './record-pack.ts'
import { removePack } from './remove-pack.ts'
import { verifyPack } from './verify-pack.ts'

/** What was done about a finding. */
export type Repair = { finding: Finding; done: RepairAction }
type RepairAction =
  /** A pack without rows was read and has its rows again; `linkedUploads` found their content in it. */
  | { kind: 'indexed'; blocks: number; linkedUploads: number }
  /** A torn or foreign object was removed. */
  | { kind: 'removed' }
  /** Blocks that cannot be read were marked, and blocks that can be read again were unmarked. */
  | { kind: 'marked'; damaged: number; healed: number }
  /** A sum or a stamp in the database was set right. */
  | { kind: 'corrected' }
  /** Nothing can be done from here: upload the content again, or restore a backup. */
  | { kind: 'none' }

/** Mends what `check` finds, one thing at a time, each in a unit of its own: it can be stopped and started again. */
export async function* repair(parts: CheckParts): AsyncGenerator<Repair> {
  for await (const finding of check(parts)) {
    parts.signal?.throwIfAborted()
    yield { finding, done: await mend(finding, parts) }
  }
}

async function mend(finding: Finding, parts: CheckParts): Promise<RepairAction> {
  switch (finding.kind) {
    case 'missing-pack':
    case 'wrong-size':
    case 'damaged-blocks':
      return verifyAgain(finding.packId, parts)
    case 'orphan-object':
      return adoptOrphan(finding.objectKey, parts)
    case 'wrong-reference':
      return correctReference(finding.packId, parts)
    case 'wrong-ledger':
      return correctLedger(finding.address, parts.db)
    default:
      return { kind: 'none' }
  }
}

/** Reads a pack and marks its blocks as what they are now: a disk may have come back. */
async function verifyAgain(packId: bigint, { db, objects, clock, signal }: CheckParts): Promise<RepairAction> {
  const pack = await db.read
    .selectFrom('pack')
    .select(['id', 'object_key', 'size_bytes', 'block_count'])
    .where('id', '=', packId)
    .executeTakeFirst()
  if (pack === undefined) return { kind: 'none' }
  const { damaged } = await verifyPack(pack, { db, objects, signal })
  const { numUpdatedRows } = await db.write((trx) =>
    trx
      .updateTable('block')
      .set({ damaged_at: null })
      .where('pack_id', '=', packId)
      .where('damaged_at', 'is not', null)
      .executeTakeFirstOrThrow(),
  )
  await markDamaged(db, packId, damaged, clock.now())
  return { kind: 'marked', damaged: damaged.length, healed: Math.max(0, Number(numUpdatedRows) - damaged.length) }
}

async function adoptOrphan(key: string, { db, objects, clock }: CheckParts): Promise<RepairAction> {
  const orphan = await findOrphan(db, objects, key, clock.now())
  if (orphan === undefined) return { kind: 'none' }
  const read = await readOrphan(objects, orphan)
  if (read !== undefined) {
    await indexOrphan(db, read.own, clock.now())
    return {
      kind: 'indexed',
      blocks: read.own.blocks.count,
      linkedUploads: await linkUploads(db, read.own.id, read.roots),
    }
  }
  const createdAt = Math.trunc(orphan.modifiedAt)
  if (!(await condemnPack(db, { id: orphan.id, objectKey: key, sizeBytes: orphan.sizeBytes, createdAt }))) {
    return { kind: 'none' }
  }
  await removePack(db, objects, { id: orphan.id, objectKey: key })
  return { kind: 'removed' }
}

async function findOrphan(db: Database, objects: ObjectStore, key: string, now: number) {
  for await (const orphan of findOrphans({ db, objects }, key, now)) {
    if (packIdOfKey(orphan.key) !== undefined) return orphan
  }
  return undefined
}

/** Uploads of these roots that refer to no pack get their reference back. */
async function linkUploads(db: Database, packId: bigint, roots: readonly CID[]): Promise<number> {
  let linked = 0
  for (const root of roots) {
    linked += await db.write(async (trx) => {
      const uploads = await trx
        .selectFrom('upload')
        .select('id')
        .where('root_multihash', '=', root.multihash.bytes)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('upload_pack').select('pack_id').whereRef('upload_pack.upload_id', '=', 'upload.id'))),
        )
        .execute()
      if (uploads.length === 0) return 0
      await trx.updateTable('pack').set({ unreferenced_at: null }).where('id', '=', packId).execute()
      for (const { id } of uploads) {
        await trx.insertInto('upload_pack').values({ upload_id: id, pack_id: packId }).execute()
      }
      return uploads.length
    })
  }
  return linked
}

async function correctReference(packId: bigint, { db, clock }: CheckParts): Promise<RepairAction> {
  await db.write(async (trx) => {
    // The pack's row is locked first, as by whoever adds or drops a reference.
    await trx.updateTable('pack').set({ unreferenced_at: null }).where('id', '=', packId).execute()
    await trx
      .updateTable('pack')
      .set({ unreferenced_at: clock.now() })
      .where('id', '=', packId)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('upload_pack').select('upload_id').whereRef('upload_pack.pack_id', '=', 'pack.id'))),
      )
      .execute()
  })
  return { kind: 'corrected' }
}

async function correctLedger(address: string, db: Database): Promise<RepairAction> {
  await db.write(async (trx) => {
    await sql`update account set
        data_used_bytes = coalesce((select sum(size_bytes) from upload where upload.address = account.address), 0),
        reserved_bytes = coalesce((select sum(bytes) from reservation where reservation.address = account.address), 0),
        upload_count = (select count(*) from upload where upload.address = account.address)
      where address = ${address}`.execute(trx)
    await recountFreeStorage(trx)
  })
  return { kind: 'corrected' }
}
