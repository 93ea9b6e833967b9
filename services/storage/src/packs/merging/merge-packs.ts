import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import type { MergeSettings } from '../../settings/merge-settings.ts'
import { acquireLease, releaseLease } from '../../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../../workers/worker.ts'
import { markDamaged } from '../checking/mark-damage.ts'
import { verifyPack } from '../checking/verify-pack.ts'
import { placeColumns } from '../pack-place.ts'
import type { PackEvent, PackStore } from '../types.ts'
import { countMergeable, findMergeable, findSparse } from './find-mergeable.ts'
import { moveMembers } from './move-members.ts'
import { type MergeablePack, writeMerged } from './write-merged.ts'

const leaseName = 'merge-packs'
const leaseMs = 120_000
/** Packs in one merged pack: one statement moves them. */
const maxMembers = 512
/** Fewer packs are not worth an object of their own. */
const minMembers = 32
/** How long one merged pack waits for uploads in progress. */
const maxYieldMs = 60_000
const yieldStepMs = 1000
/** How long a pack that could not be merged is skipped. */
const setAsideMs = 86_400_000

/** Dependencies of merging. */
export type MergeParts = {
  db: Database
  objects: ObjectStore
  packs: Pick<PackStore, 'evict'>
  clock: WorkerClock
  /** Name of this process among the replicas. */
  owner: string
  settings: MergeSettings
  /** How long the object of a merged pack stays for readers that know its place. */
  graceMs: number
  /** Whether uploads are in progress at any replica. */
  isBusy(): Promise<boolean>
  /** Packs that failed, and until when they are skipped. */
  setAside?: Map<bigint, number>
  onEvent?: (event: PackEvent) => void
}

/** Result of a round. */
export type MergeResult = { merged: number; packs: number; bytes: number }

/** Merges small packs in the background, on one replica at a time. */
export function createMergeWorker(parts: MergeParts & { intervalMs?: number }): Worker {
  const onEvent = parts.onEvent ?? (() => undefined)
  const setAside = new Map<bigint, number>()
  const round = async (signal: AbortSignal): Promise<void> => {
    await mergePacks({ ...parts, setAside }, signal)
  }
  return createLoop('merge-packs', parts.intervalMs ?? 600_000, parts.clock, round, (error) =>
    onEvent({ type: 'worker-failed', worker: 'merge-packs', error }),
  )
}

/** Merges all packs that are due, at the set rate; nothing while another replica holds the lease. */
export async function mergePacks(parts: MergeParts, signal: AbortSignal): Promise<MergeResult> {
  const { db, clock, owner, settings, onEvent = () => undefined } = parts
  const result: MergeResult = { merged: 0, packs: 0, bytes: 0 }
  const lease = () => acquireLease(db, { name: leaseName, owner, now: clock.now(), durationMs: leaseMs })
  if ((await lease()) === undefined) return result
  try {
    onEvent({ type: 'packs-mergeable', ...(await countMergeable(db, settings, clock.now())) })
    for await (const group of groupsOf(parts)) {
      await yieldToUploads(parts, signal)
      if (signal.aborted || (await lease()) === undefined) break
      await mergeGroup(parts, group, result, signal, lease)
    }
    return result
  } finally {
    await releaseLease(db, { name: leaseName, owner })
  }
}

/** Packs for one merged pack, so far. */
type OpenGroup = { packs: MergeablePack[]; bytes: number; isUrgent: boolean }

/**
 * Groups packs for one merged pack each: those of sparse merged packs, and then small ones by age. Private packs share an
 * object with private ones only, because its manifest alone remains when the database is lost.
 */
async function* groupsOf(parts: MergeParts): AsyncGenerator<MergeablePack[]> {
  const { db, clock, settings, setAside } = parts
  const now = clock.now()
  const open = new Map<MergeablePack['is_private'], OpenGroup>()
  for await (const { pack, isSparse } of candidatesOf(db, settings, now)) {
    if ((setAside?.get(pack.id) ?? 0) > now) continue
    let group = open.get(pack.is_private) ?? { packs: [], bytes: 0, isUrgent: false }
    const isFull = group.packs.length === maxMembers || group.bytes + pack.size_bytes > settings.targetBytes
    if (group.packs.length > 0 && isFull) {
      yield group.packs
      group = { packs: [], bytes: 0, isUrgent: false }
    }
    group.packs.push(pack)
    group.bytes += pack.size_bytes
    group.isUrgent ||= isSparse
    open.set(pack.is_private, group)
  }
  for (const { packs, isUrgent } of open.values()) {
    const oldest = packs.reduce((least, { created_at }) => Math.min(least, created_at), now)
    if (isUrgent || (packs.length >= minMembers && oldest <= now - settings.maxWaitMs)) yield packs
  }
}

async function* candidatesOf(
  db: Database,
  settings: MergeSettings,
  now: number,
): AsyncGenerator<{ pack: MergeablePack; isSparse: boolean }> {
  for await (const pack of findSparse(db, now)) yield { pack, isSparse: true }
  for await (const pack of findMergeable(db, settings, now)) yield { pack, isSparse: false }
}

async function mergeGroup(
  parts: MergeParts,
  group: readonly MergeablePack[],
  result: MergeResult,
  signal: AbortSignal,
  lease: () => Promise<unknown>,
): Promise<void> {
  const { objects, packs, clock, settings, setAside, onEvent = () => undefined } = parts
  let renewed = clock.now()
  const pace = async (bytes: number): Promise<void> => {
    await clock.sleep((bytes / settings.bytesPerSecond) * 1000, signal)
    signal.throwIfAborted()
    if (clock.now() - renewed < leaseMs / 4) return
    renewed = clock.now()
    await lease()
  }
  const onFaulty = async (pack: MergeablePack): Promise<void> => {
    setAside?.set(pack.id, clock.now() + setAsideMs)
    await reportFaulty(parts, pack, signal)
  }
  const merged = await writeMerged({ objects, clock, pace, onFaulty }, group)
  if (merged === undefined) return
  if (!(await moveMembers(parts, merged))) return
  packs.evict()
  result.merged++
  result.packs += merged.members.length
  result.bytes += merged.sizeBytes
  onEvent({
    type: 'packs-merged',
    objectKey: merged.objectKey,
    packs: merged.members.length,
    bytes: merged.sizeBytes,
  })
}

/** Marks the damaged blocks of a pack, as the scrubber does, so that it is not merged again. */
async function reportFaulty(
  { db, objects, clock, onEvent = () => undefined }: MergeParts,
  { id, object_key: objectKey }: MergeablePack,
  signal: AbortSignal,
): Promise<void> {
  const pack = await db.read
    .selectFrom('pack')
    .select(['id', 'size_bytes', 'block_count', ...placeColumns])
    .where('id', '=', id)
    .where('state', '=', 'live')
    .executeTakeFirst()
  if (pack === undefined) return
  const { damaged, failures } = await verifyPack(pack, { db, objects, signal })
  await markDamaged(db, id, damaged, clock.now())
  if (damaged.length + failures.length === 0) return
  onEvent({
    type: 'pack-damaged',
    packId: id,
    objectKey,
    damagedBlocks: damaged.length,
    failures: failures.slice(0, 10),
  })
}

/** Waits while uploads are in progress, for a limited time. */
async function yieldToUploads({ clock, isBusy }: MergeParts, signal: AbortSignal): Promise<void> {
  const until = clock.now() + maxYieldMs
  while (clock.now() < until && !signal.aborted && (await isBusy())) {
    await clock.sleep(yieldStepMs, signal)
  }
}
