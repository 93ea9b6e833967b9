import type { Database } from '../db/database.ts'
import { recountAccount } from '../ledger/ledger.ts'
import { type CheckParts, check, type Finding } from '../packs/checking/check.ts'
import { markDamaged } from '../packs/checking/mark-damage.ts'
import { verifyPack } from '../packs/checking/verify-pack.ts'
import { packIdOfKey } from '../packs/pack-id.ts'
import { placeColumns } from '../packs/pack-place.ts'
import { isUsed } from '../packs/pack-use.ts'
import { importPack } from '../packs/recovery/import-packs.ts'
import { markMissing } from '../packs/recovery/settle-comparison.ts'

/** The action taken for a finding. */
export type Repair = { finding: Finding; done: RepairAction }
type RepairAction =
  /** A pack without rows was read and its rows were restored; `linkedUploads` found their content in it. */
  | { kind: 'taken-in'; blocks: number; linkedUploads: number }
  /** The object is truncated or not a pack. It is kept. */
  | { kind: 'unreadable' }
  /** The pack is not read and not relied on while its object is missing. The same content can be uploaded again. */
  | { kind: 'marked-missing' }
  /** Unreadable blocks were marked, and blocks that are readable again were unmarked. */
  | { kind: 'marked'; damaged: number; healed: number }
  /** A total or a stamp in the database was corrected. */
  | { kind: 'corrected' }
  /** No automatic repair exists: upload the content again, or restore a backup. */
  | { kind: 'none' }

/**
 * Repairs what `check` finds, one finding per unit of work, so it can be stopped and restarted. Removes no object.
 */
export async function* repair(parts: CheckParts): AsyncGenerator<Repair> {
  for await (const finding of check(parts)) {
    parts.signal?.throwIfAborted()
    yield { finding, done: await repairFinding(finding, parts) }
  }
}

async function repairFinding(finding: Finding, parts: CheckParts): Promise<RepairAction> {
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
      return importOrphan(finding.objectKey, parts)
    case 'wrong-reference':
      return correctReference(finding.packId, parts)
    case 'wrong-ledger':
      return correctLedger(finding.address, parts.db)
    default:
      return { kind: 'none' }
  }
}

/** Reads a pack and marks its blocks by their current state: a disk may be available again. */
async function verifyAgain(packId: bigint, { db, objects, clock, signal }: CheckParts): Promise<RepairAction> {
  const pack = await db.read
    .selectFrom('pack')
    .select(['id', 'size_bytes', 'block_count', ...placeColumns])
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

async function importOrphan(key: string, parts: CheckParts): Promise<RepairAction> {
  const id = packIdOfKey(key)
  const taken = id === undefined ? undefined : await importPack(parts, { id, key })
  if (taken === undefined) return { kind: 'none' }
  if (taken.kind === 'unreadable') return { kind: 'unreadable' }
  return { kind: 'taken-in', blocks: taken.blocks, linkedUploads: taken.linkedUploads }
}

async function correctReference(packId: bigint, { db, clock }: CheckParts): Promise<RepairAction> {
  await db.write(async (trx) => {
    // Locks the pack's row first, as every change of references does.
    await trx.updateTable('pack').set({ unreferenced_at: null }).where('id', '=', packId).execute()
    await trx
      .updateTable('pack')
      .set({ unreferenced_at: clock.now() })
      .where('id', '=', packId)
      .where(({ not }) => not(isUsed))
      .execute()
  })
  return { kind: 'corrected' }
}

async function correctLedger(address: string, db: Database): Promise<RepairAction> {
  await db.write((trx) => recountAccount(trx, address))
  return { kind: 'corrected' }
}
