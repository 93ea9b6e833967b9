import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { packIdOfKey, packTime } from './pack-id.ts'
import { condemnPack } from './record-pack.ts'

/** What processes that are gone left behind. */
export type Recovery = {
  /** Number of unfinished objects. They were removed. */
  unfinishedObjects: number
  /** Number of finished packs that were never acknowledged. They are removed after the grace time. */
  abandonedPacks: number
}

/** What a recovery needs. */
export type RecoveryParts = { db: Database; objects: ObjectStore; clock: { now(): number } }

/**
 * Cleans up after processes that are gone: removes their unfinished objects, and condemns the packs that they finished and
 * never acknowledged. A pack without a row is not touched for that alone: its row may have been lost. Safe at any time and
 * beside other replicas. Recorded packs cost nothing.
 */
export async function recoverPacks({ db, objects, clock }: RecoveryParts): Promise<Recovery> {
  // Unfinished objects first: a suspended writer that resumes then finds its file gone and cannot finish the object.
  const unfinishedObjects = await objects.sweep()
  let abandonedPacks = 0
  for await (const { key, settle } of objects.listAbandoned('packs/')) {
    const id = packIdOfKey(key)
    const sizeBytes = await objects.size(key)
    if (id !== undefined && sizeBytes !== undefined) {
      const own = { id, objectKey: key, sizeBytes, createdAt: packTime(id) }
      // The row decides: a later commit fails on it, an earlier one keeps the pack.
      if (await condemnPack(db, own, { hold: 'abandoned', since: clock.now() })) abandonedPacks++
    }
    await settle()
  }
  return { unfinishedObjects, abandonedPacks }
}
