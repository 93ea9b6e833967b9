import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { packTime } from '../pack-id.ts'
import { countRemoval } from '../removal/removals.ts'
import type { PackEvent } from '../types.ts'
import type { Comparison } from './compare-packs.ts'
import type { UnnamedPack } from './find-unnamed.ts'

const idsInOneUnit = 500

/**
 * Records the result of a comparison. Packs without rows are kept until they are imported. Packs whose object is
 * missing are not read and not relied on, so that the same content can be uploaded again. Packs that returned are
 * read again.
 */
export async function settleComparison(
  { db, objects, clock }: { db: Database; objects: ObjectStore; clock: { now(): number } },
  { unnamed, missing, returned }: Comparison,
): Promise<void> {
  for (const pack of unnamed) await holdOrphan(db, pack, (await objects.size(pack.key)) ?? 0, clock.now())
  await markMissing(
    db,
    missing.map(({ id }) => id),
    clock.now(),
  )
  await markMissing(db, returned, null)
}

/**
 * Marks a pack without rows as an orphan: a late commit fails on the new row, no reader uses it, and nothing removes
 * the object. A pack that was held for another reason becomes an orphan.
 */
export async function holdOrphan(
  db: Database,
  { id, key }: UnnamedPack,
  sizeBytes: number,
  now: number,
): Promise<void> {
  await db.write((trx) =>
    trx
      .insertInto('pack')
      .values({
        id,
        object_key: key,
        size_bytes: sizeBytes,
        block_count: 0,
        state: 'removing',
        created_at: packTime(id),
        unreferenced_at: now,
        scrubbed_at: null,
        hold: 'orphaned',
      })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ state: 'removing', hold: 'orphaned' }).where('pack.hold', 'is not', null),
      )
      .execute(),
  )
}

/**
 * Sets the time at which the objects of packs were found missing, with the packs merged in them; null when they exist. A pack that
 * was merged since its own object was looked for has lost nothing.
 */
export async function markMissing(db: Database, ids: readonly bigint[], since: number | null): Promise<void> {
  for (let at = 0; at < ids.length; at += idsInOneUnit) {
    const some = ids.slice(at, at + idsInOneUnit)
    await db.write(async (trx) => {
      await trx
        .updateTable('pack')
        .set({ missing_at: since })
        .where(({ eb, and, or }) => {
          const own = eb('id', 'in', some)
          return or([since === null ? own : and([own, eb('merged_id', 'is', null)]), eb('merged_id', 'in', some)])
        })
        .where('state', '=', 'live')
        .execute()
      // Replicas have cached locations in these packs.
      await countRemoval(trx)
    })
  }
}

/** Maximum number of missing packs that are reported one by one. `npm run storage:check` reports all. */
const maxReported = 100

/** Reports the result of a comparison to the operator. */
export function reportComparison({ unnamed, missing }: Comparison, onEvent: (event: PackEvent) => void): void {
  for (const { key } of unnamed) onEvent({ type: 'pack-orphaned', objectKey: key })
  for (const { objectKey } of missing.slice(0, maxReported))
    onEvent({ type: 'pack-missing', objectKey, of: missing.length })
}
