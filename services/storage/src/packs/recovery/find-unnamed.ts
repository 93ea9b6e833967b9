import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { packIdOfKey, packKey } from '../pack-id.ts'
import { findHolds } from '../store.ts'

/** A pack without a row, or with a pending row and no upload in progress. */
export type UnnamedPack = { id: bigint; key: string }

const keysInOneQuery = 500

/**
 * Finds confirmed packs without a row. Reads names and rows; changes nothing.
 * @param from minimum id of the packs that are compared
 */
export async function* findUnnamed(
  { db, objects }: { db: Database; objects: ObjectStore },
  from = 0n,
): AsyncGenerator<UnnamedPack> {
  let batch: UnnamedPack[] = []
  const unnamed = async (): Promise<UnnamedPack[]> => {
    const candidates = batch
    batch = []
    if (candidates.length === 0) return []
    // Notes before rows: an object that lost its note in between has a row or is removed.
    const unconfirmed = await objects.listUnconfirmed('all')
    const ids = candidates.map(({ id }) => id)
    const rows = await findHolds(db.read, ids)
    const named = new Set(rows.filter(({ hold }) => hold !== 'pending').map(({ id }) => id))
    const found: UnnamedPack[] = []
    for (const pack of candidates) {
      if (named.has(pack.id) || unconfirmed.has(pack.key)) continue
      if ((await objects.size(pack.key)) !== undefined) found.push(pack)
    }
    return found
  }
  for await (const key of objects.list('packs/', packKey(from))) {
    const id = packIdOfKey(key)
    if (id === undefined || id < from) continue
    batch.push({ id, key })
    if (batch.length === keysInOneQuery) yield* await unnamed()
  }
  yield* await unnamed()
}
