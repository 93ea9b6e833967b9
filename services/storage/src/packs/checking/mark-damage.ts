import type { Database } from '../../db/database.ts'

const hashesInOneUnit = 500

/** Marks blocks of a pack as damaged, so that readers use other copies and new uploads store the bytes again. */
export async function markDamaged(
  db: Database,
  packId: bigint,
  multihashes: readonly Uint8Array[],
  now: number,
): Promise<void> {
  for (let start = 0; start < multihashes.length; start += hashesInOneUnit) {
    const some = multihashes.slice(start, start + hashesInOneUnit)
    await db.write((trx) =>
      trx
        .updateTable('block')
        .set({ damaged_at: now })
        .where('pack_id', '=', packId)
        .where('multihash', 'in', some)
        .where('damaged_at', 'is', null)
        .execute(),
    )
  }
}
