import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { packIdOfKey, packTime } from '../pack-id.ts'
import { condemnPack } from '../writing/record-pack.ts'

/** Unfinished objects and packs of processes that are gone. */
export type Recovery = {
  /** Number of unfinished objects that were removed. */
  unfinishedObjects: number
  /** Number of finished packs that were never acknowledged. They are removed after the grace period. */
  abandonedPacks: number
}

/** Dependencies of a recovery. */
export type RecoveryParts = { db: Database; objects: ObjectStore; clock: { now(): number } }

/**
 * Cleans up after processes that are gone: removes their unfinished objects, and condemns the packs that they
 * finished but never acknowledged. A missing row alone is no reason to touch a pack: the row may have been lost. Safe
 * at any time and with other replicas running. Recorded packs cost nothing.
 */
export async function recoverPacks({ db, objects, clock }: RecoveryParts): Promise<Recovery> {
  // Unfinished objects first: a suspended writer that resumes finds its file missing and cannot finish the object.
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
