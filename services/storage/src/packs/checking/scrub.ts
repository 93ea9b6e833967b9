import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { acquireLease, releaseLease } from '../../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../../workers/worker.ts'
import { objectKeyOf, type PlacedPack, placeColumns } from '../pack-place.ts'
import { markDamaged, markMissing, type PackEvent, verifyPack } from '../packs.ts'
import { findPlace } from '../store.ts'

const leaseName = 'scrub'
const leaseMs = 120_000
const packsInOneQuery = 20

/** Dependencies of scrubbing. */
export type ScrubParts = {
  db: Database
  objects: ObjectStore
  clock: WorkerClock
  /** Name of this process among the replicas. */
  owner: string
  /** Maximum bytes read per second. Defaults to 16 MiB. */
  bytesPerSecond?: number
  /** Interval between reads of a pack. Defaults to 30 days. */
  periodMs?: number
  /** Pause between rounds. Defaults to one hour. */
  intervalMs?: number
  onEvent?: (event: PackEvent) => void
}

/** Result of a scrub round. */
export type ScrubResult = { packs: number; bytes: number; damagedBlocks: number }

/** Reads all packs again in the background and marks blocks that no longer match, on one replica at a time. */
export function createScrubWorker(parts: ScrubParts): Worker {
  const onEvent = parts.onEvent ?? (() => undefined)
  const round = async (signal: AbortSignal): Promise<void> => {
    await scrubPacks(parts, signal)
  }
  return createLoop('scrub', parts.intervalMs ?? 3_600_000, parts.clock, round, (error) =>
    onEvent({ type: 'worker-failed', worker: 'scrub', error }),
  )
}

/** Scrubs all packs that are due, at the set rate; nothing while another replica holds the lease. */
export async function scrubPacks(parts: ScrubParts, signal: AbortSignal): Promise<ScrubResult> {
  const { db, clock, owner, periodMs = 30 * 86_400_000, onEvent = () => undefined } = parts
  const result: ScrubResult = { packs: 0, bytes: 0, damagedBlocks: 0 }
  const lease = () => acquireLease(db, { name: leaseName, owner, now: clock.now(), durationMs: leaseMs })
  if ((await lease()) === undefined) return result
  try {
    const before = clock.now() - periodMs
    for (let due = await packsDue(db, before); due.length > 0; due = await packsDue(db, before)) {
      for (const pack of due) {
        if (signal.aborted || (await lease()) === undefined) return result
        await scrubOne(pack, parts, signal, result, lease)
      }
    }
    if (result.packs > 0) onEvent({ type: 'scrub-finished', packs: result.packs, damagedBlocks: result.damagedBlocks })
    return result
  } finally {
    await releaseLease(db, { name: leaseName, owner })
  }
}

type DuePack = PlacedPack & { id: bigint; size_bytes: number; block_count: number }

async function packsDue(db: Database, before: number): Promise<DuePack[]> {
  const live = db.read
    .selectFrom('pack')
    .select(['id', 'size_bytes', 'block_count', ...placeColumns])
    .where('state', '=', 'live')
    .where('missing_at', 'is', null)
    // The rows of a pack that no upload has yet may still be written.
    .where(({ eb, or }) => or([eb('hold', 'is', null), eb('hold', '<>', 'pending')]))
    .limit(packsInOneQuery)
  const never = await live.where('scrubbed_at', 'is', null).orderBy('id').execute()
  if (never.length > 0) return never
  return live.where('scrubbed_at', '<', before).orderBy('scrubbed_at').execute()
}

/** Whether the object of a pack is gone, which is reported unless the pack was removed or merged since it was found due. */
async function isGone(pack: DuePack, { db, objects, clock, onEvent = () => undefined }: ScrubParts): Promise<boolean> {
  const objectKey = objectKeyOf(pack)
  if ((await objects.size(objectKey)) !== undefined) return false
  const place = await findPlace(db.read, pack.id)
  // A pack that was merged stays due, at its new place.
  if (place === undefined || objectKeyOf(place) !== objectKey) return true
  onEvent({ type: 'pack-missing', objectKey, of: 1 })
  await markMissing(db, [pack.merged_id ?? pack.id], clock.now())
  return true
}

async function scrubOne(
  pack: DuePack,
  parts: ScrubParts,
  signal: AbortSignal,
  result: ScrubResult,
  lease: () => Promise<unknown>,
): Promise<void> {
  const { db, objects, clock, bytesPerSecond = 16 * 1024 * 1024, onEvent = () => undefined } = parts
  const objectKey = objectKeyOf(pack)
  if (await isGone(pack, parts)) return
  let renewed = clock.now()
  const pace = async (bytes: number): Promise<void> => {
    await clock.sleep((bytes / bytesPerSecond) * 1000, signal)
    if (clock.now() - renewed < leaseMs / 4) return
    renewed = clock.now()
    await lease()
  }
  const { damaged, failures, bytes } = await verifyPack(pack, { db, objects, pace, signal })
  // The pack may have been removed while it was read, which is not damage.
  if (damaged.length + failures.length > 0 && (await isGone(pack, parts))) return
  const now = clock.now()
  await markDamaged(db, pack.id, damaged, now)
  if (damaged.length > 0 || failures.length > 0) {
    onEvent({
      type: 'pack-damaged',
      packId: pack.id,
      objectKey,
      damagedBlocks: damaged.length,
      failures: failures.slice(0, 10),
    })
  }
  await db.write((trx) => trx.updateTable('pack').set({ scrubbed_at: now }).where('id', '=', pack.id).execute())
  result.packs++
  result.bytes += bytes
  result.damagedBlocks += damaged.length
}
