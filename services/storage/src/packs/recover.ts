import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { findOrphans } from './find-orphans.ts'
import { packFolder, packFolderMs } from './pack-id.ts'
import type { Recovery } from './packs.ts'
import { condemnPack } from './record-pack.ts'
import { removePack } from './remove-pack.ts'

const hourMs = 3_600_000

/** Unfinished objects older than this are removed whoever made them. */
const unfinishedAgeMs = 24 * hourMs
/** Orphans are looked for among the packs of the last week; `check` and `repair` look at all. */
const orphanSearchMs = 7 * 24 * hourMs

/** What a recovery needs. `orphanAgeMs`: how long after its last byte an object may wait for its row. */
export type RecoveryParts = { db: Database; objects: ObjectStore; clock: { now(): number }; orphanAgeMs: number }

/**
 * Removes what a crash left over: unfinished objects, and finished ones that no row names. Safe at any time and beside
 * other replicas.
 */
export async function recoverPacks(parts: RecoveryParts): Promise<Recovery> {
  const { objects, clock } = parts
  const now = clock.now()
  const unfinishedObjects = await objects.sweep(now - unfinishedAgeMs)
  const orphanObjects = await removeOrphans(parts, now)
  return { unfinishedObjects, orphanObjects }
}

async function removeOrphans({ db, objects, orphanAgeMs }: RecoveryParts, now: number): Promise<number> {
  let removed = 0
  for (let at = now + packFolderMs; at > now - orphanSearchMs; at -= packFolderMs) {
    for await (const { id, key, sizeBytes } of findOrphans({ db, objects }, packFolder(at), now - orphanAgeMs)) {
      if (!(await condemnPack(db, { id, objectKey: key, sizeBytes, createdAt: now }))) continue
      await removePack(db, objects, { id, objectKey: key })
      removed++
    }
  }
  return removed
}
