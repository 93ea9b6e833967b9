import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { type PackEvent, type PackStore, removePack } from '../packs/packs.ts'
import { createLoop, type Worker, type WorkerClock } from './worker.ts'

const packsInOneRound = 100
/** How long a finished object may wait for its row while the service runs. */
const orphanAgeMs = 3_600_000

/** What the removal of packs needs. */
export type RemovePacksParts = {
  db: Database
  objects: ObjectStore
  packs: PackStore
  clock: WorkerClock
  /** How long a pack stays after its last upload was deleted; 24 hours unless told. */
  graceMs?: number
  /** Pause between rounds; 10 minutes unless told. */
  intervalMs?: number
  onEvent?: (event: PackEvent) => void
}

/** Removes what crashes left over and packs that no upload needs, in rounds. Replicas may do so at once. */
export function createRemovePacksWorker(parts: RemovePacksParts): Worker {
  const onEvent = parts.onEvent ?? (() => undefined)
  const round = async (signal: AbortSignal): Promise<void> => {
    // Not the store's own age, which may be zero for the start: uploads of this process may be about to be recorded.
    await parts.packs.recover(orphanAgeMs)
    await removeUnreferencedPacks(parts, signal)
  }
  return createLoop('remove-packs', parts.intervalMs ?? 600_000, parts.clock, round, (error) =>
    onEvent({ type: 'worker-failed', worker: 'remove-packs', error }),
  )
}

/** Removes all packs that have been unreferenced for longer than the grace time; answers how many. */
export async function removeUnreferencedPacks(parts: RemovePacksParts, signal?: AbortSignal): Promise<number> {
  const { db, objects, packs, clock, graceMs = 86_400_000, onEvent = () => undefined } = parts
  const before = clock.now() - graceMs
  let removed = 0
  for (let after = -1n; ; ) {
    const candidates = await db.read
      .selectFrom('pack')
      .select(['id', 'object_key'])
      .where(({ eb, or }) => or([eb('state', '=', 'removing'), eb('unreferenced_at', '<', before)]))
      .where('id', '>', after)
      .orderBy('id')
      .limit(packsInOneRound)
      .execute()
    for (const { id, object_key: objectKey } of candidates) {
      signal?.throwIfAborted()
      after = id
      if (!(await markRemoving(db, id, before))) continue
      packs.forget()
      await removePack(db, objects, { id, objectKey }, signal)
      packs.forget()
      onEvent({ type: 'pack-removed', packId: id, objectKey })
      removed++
    }
    if (candidates.length < packsInOneRound) return removed
  }
}

/** Decides, in one statement, that a pack goes: an upload that refers to it meanwhile keeps it, or is refused. */
async function markRemoving(db: Database, id: bigint, before: number): Promise<boolean> {
  const { numUpdatedRows } = await db.write((trx) =>
    trx
      .updateTable('pack')
      .set({ state: 'removing' })
      .where('id', '=', id)
      .where(({ eb, or }) => or([eb('state', '=', 'removing'), eb('unreferenced_at', '<', before)]))
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('upload_pack').select('upload_id').whereRef('upload_pack.pack_id', '=', 'pack.id'))),
      )
      .executeTakeFirstOrThrow(),
  )
  return numUpdatedRows > 0n
}
