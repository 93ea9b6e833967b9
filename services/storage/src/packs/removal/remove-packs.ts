import { createSettledClock } from '@cairn/service'
import type { ObjectStore } from '@cairn/service/objects'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { collectRefusals } from '../../objects/refusals.ts'
import { isRemovalHeld } from '../../workers/removal-hold.ts'
import { createLoop, type Worker, type WorkerClock } from '../../workers/worker.ts'
import { isUsed } from '../pack-use.ts'
import { countRemoval, type PackEvent, type PackStore, recoverPacks, removePack } from '../packs.ts'

const packsInOneQuery = 100
const dayMs = 86_400_000

/** Dependencies of the removal of packs. */
export type RemovePacksParts = {
  db: Database
  objects: ObjectStore
  packs: PackStore
  clock: WorkerClock
  /** How long a pack is kept after its last upload was deleted. Defaults to 24 hours. */
  graceMs?: number
  /** Pause between rounds. Defaults to 10 minutes. */
  intervalMs?: number
  onEvent?: (event: PackEvent) => void
}

/**
 * Cleans up after crashes and removes packs that no upload needs, in rounds. Replicas may run it concurrently. The
 * cost of a round depends on what it removes, not on what is stored.
 */
export function createRemovePacksWorker(parts: RemovePacksParts): Worker {
  const onEvent = parts.onEvent ?? (() => undefined)
  const { clock, graceMs = dayMs } = parts
  const settled = createSettledClock(clock)
  const round = async (signal: AbortSignal): Promise<void> => {
    await recoverPacks(parts)
    // A wrong clock shortens a grace period of less than a day by no more than that.
    const now = graceMs < dayMs ? clock.now() : (settled.now() ?? 0)
    await removeUnreferencedPacks(parts, signal, now)
  }
  return createLoop('remove-packs', parts.intervalMs ?? 600_000, parts.clock, round, (error) =>
    onEvent({ type: 'worker-failed', worker: 'remove-packs', error }),
  )
}

/**
 * Removes all packs that were discarded, or have been unreferenced or abandoned for longer than the grace period.
 * Returns their number.
 * @param now until when the grace period counts, in ms since 1970
 */
export async function removeUnreferencedPacks(
  parts: RemovePacksParts,
  signal?: AbortSignal,
  now = parts.clock.now(),
): Promise<number> {
  const { db, objects, packs, graceMs = dayMs, onEvent = () => undefined } = parts
  const before = now - graceMs
  const refusals = collectRefusals()
  let removed = 0
  for await (const { id, object_key: objectKey } of findRemovable(db, before)) {
    signal?.throwIfAborted()
    if (!(await markRemoving(db, id, before))) continue
    // A backup copies packs that its snapshot names. A later round continues.
    if (await isRemovalHeld(parts)) break
    packs.evict()
    if (!(await refusals.attempt(() => removePack(db, objects, { id, objectKey }, signal)))) continue
    packs.evict()
    onEvent({ type: 'pack-removed', packId: id, objectKey })
    removed++
  }
  refusals.end()
  return removed
}

type Candidate = { id: bigint; object_key: string }

/** Finds packs that may be removed. Each query has an index of few other rows. */
async function* findRemovable(db: Database, before: number): AsyncGenerator<Candidate> {
  const candidates = db.read.selectFrom('pack').select(['id', 'object_key', 'unreferenced_at']).limit(packsInOneQuery)
  for (let after = -1n; ; ) {
    // A literal condition, so that the databases use the index.
    const begun = sql<boolean>`state = 'removing' and hold is null`
    const found = await candidates.where(begun).where('id', '>', after).orderBy('id').execute()
    yield* found
    after = found.at(-1)?.id ?? after
    if (found.length < packsInOneQuery) break
  }
  for (let last = { unreferenced_at: -1 as number | null, id: -1n }; ; ) {
    const isBehind = sql<boolean>`(unreferenced_at, id) > (${last.unreferenced_at}, ${last.id})`
    const found = await candidates
      .where('unreferenced_at', '<', before)
      .where(({ eb, or }) => or([eb('hold', 'is', null), eb('hold', '=', 'abandoned')]))
      .where(isBehind)
      .orderBy('unreferenced_at')
      .orderBy('id')
      .execute()
    yield* found
    last = found.at(-1) ?? last
    if (found.length < packsInOneQuery) return
  }
}

/**
 * Decides in one statement that a pack is removed: a concurrent upload that refers to it either keeps it or is
 * rejected.
 */
async function markRemoving(db: Database, id: bigint, before: number): Promise<boolean> {
  return db.write(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('pack')
      .set({ state: 'removing', hold: null })
      .where('id', '=', id)
      .where(({ eb, and, or }) =>
        or([
          and([eb('state', '=', 'removing'), eb('hold', 'is', null)]),
          and([eb('unreferenced_at', '<', before), or([eb('hold', 'is', null), eb('hold', '=', 'abandoned')])]),
        ]),
      )
      .where(({ not }) => not(isUsed))
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('pack as member').select('member.id').whereRef('member.merged_id', '=', 'pack.id'))),
      )
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await countRemoval(trx)
    return true
  })
}
