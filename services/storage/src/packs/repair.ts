import { sql } from 'kysely'
import { recountFreeStorage } from '../accounts/free-storage.ts'
import type { Database } from '../db/database.ts'
import { type CheckParts, check, type Finding } from './check.ts'
import { markDamaged } from './mark-damage.ts'
import { packIdOfKey } from './pack-id.ts'
import { markMissing } from './settle-comparison.ts'
import { takeInPack } from './take-in.ts'
import { verifyPack } from './verify-pack.ts'

/** What was done about a finding. */
export type Repair = { finding: Finding; done: RepairAction }
type RepairAction =
  /** A pack without rows was read and has its rows again; `linkedUploads` found their content in it. */
  | { kind: 'taken-in'; blocks: number; linkedUploads: number }
  /** The object is torn or not a pack. It stays where it is. */
  | { kind: 'unreadable' }
  /** The pack is not read and not relied on while its object is missing. The same content can be uploaded again. */
  | { kind: 'marked-missing' }
  /** Blocks that cannot be read were marked, and blocks that can be read again were unmarked. */
  | { kind: 'marked'; damaged: number; healed: number }
  /** A sum or a stamp in the database was set right. */
  | { kind: 'corrected' }
  /** Nothing can be done from here: upload the content again, or restore a backup. */
  | { kind: 'none' }

/**
 * Fixes what `check` finds, one thing at a time, each in a unit of its own: it can be stopped and started again. Removes no
 * object.
 */
export async function* repair(parts: CheckParts): AsyncGenerator<Repair> {
  for await (const finding of check(parts)) {
    parts.signal?.throwIfAborted()
    yield { finding, done: await mend(finding, parts) }
  }
}

async function mend(finding: Finding, parts: CheckParts): Promise<RepairAction> {
  switch (finding.kind) {
    case 'missing-pack':
      await markMissing(parts.db, [finding.packId], parts.clock.now())
      return { kind: 'marked-missing' }
    case 'returned-pack':
      await markMissing(parts.db, [finding.packId], null)
      return verifyAgain(finding.packId, parts)
    case 'wrong-size':
    case 'damaged-blocks':
      return verifyAgain(finding.packId, parts)
    case 'orphan-object':
      return takeIn(finding.objectKey, parts)
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

async function takeIn(key: string, parts: CheckParts): Promise<RepairAction> {
  const id = packIdOfKey(key)
  const taken = id === undefined ? undefined : await takeInPack(parts, { id, key })
  if (taken === undefined) return { kind: 'none' }
  if (taken.kind === 'unreadable') return { kind: 'unreadable' }
  return { kind: 'taken-in', blocks: taken.blocks, linkedUploads: taken.linkedUploads }
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
