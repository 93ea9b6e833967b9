import { MIB } from '@cairn/protocol'
import type { BlockSource } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { bytesKey } from './block-key.ts'
import { type BlockReader, runSlabBytes } from './block-reader.ts'
import { isIdentity } from './identity.ts'
import { createRunSlabs, type RunSlab } from './run-slabs.ts'
import type { BlockLocation, ReadOptions } from './types.ts'

/** Number of blocks located per query. */
const locatedAtOnce = 256
/** Maximum read-ahead bytes per reader; blocks that were skipped are evicted first. */
const maxAheadBytes = 8 * MIB
/** Maximum number of prefetch lists: one per level of a tree that is being walked. */
const maxPlans = 64

type Plan = {
  readonly cids: readonly CID[]
  next: number
  places: (BlockLocation | undefined)[]
  located: number
  starting?: Promise<void> | undefined
}
type Ready = { plan: Plan; sizeBytes: number; block: Promise<Uint8Array>; slab: RunSlab | undefined }

/**
 * Creates a source for one reader. Prefetched blocks are read in runs of about 1 MiB: the first when its first block
 * is requested, each next one while the previous one is in use. At most two runs per level are in memory.
 * With `recycle`, the memory of runs is reused: a block's bytes are valid until another MiB has been requested, which
 * suits a reader that passes each block on before it requests the next.
 */
export function createReadAhead(reader: BlockReader, { recycle = false } = {}): BlockSource {
  const slabs = recycle ? createRunSlabs(runSlabBytes) : undefined
  /** Newest last: a tree is walked depth first, so the newest list is in use. */
  const plans: Plan[] = []
  const ready = new Map<string, Ready>()
  let aheadBytes = 0

  const take = (key: string): Ready | undefined => {
    const entry = ready.get(key)
    if (entry === undefined) return undefined
    ready.delete(key)
    aheadBytes -= entry.sizeBytes
    if (entry.slab !== undefined) slabs?.release(entry.slab)
    return entry
  }

  const keep = (key: string, entry: Ready): void => {
    take(key)
    ready.set(key, entry)
    aheadBytes += entry.sizeBytes
    for (const oldest of ready.keys()) {
      if (aheadBytes <= maxAheadBytes) return
      take(oldest)
    }
  }

  const startRun = (plan: Plan): Promise<void> => {
    plan.starting ??= readNext(plan).finally(() => {
      plan.starting = undefined
    })
    return plan.starting
  }

  const readNext = async (plan: Plan): Promise<void> => {
    if (plan.next >= plan.cids.length) return
    if (plan.next >= plan.located) {
      const some = plan.cids.slice(plan.next, plan.next + locatedAtOnce)
      plan.places = await reader.locate(some.map((cid) => cid.multihash.bytes))
      plan.located = plan.next + some.length
    }
    const from = plan.places.length - (plan.located - plan.next)
    const slab = slabs?.next()
    const { blocks } = reader.readRun(plan.cids.slice(plan.next, plan.located), plan.places.slice(from), slab?.bytes)
    for (const [at, block] of blocks.entries()) {
      if (slab !== undefined) {
        // Once for the block that waits to be consumed, once for the read that writes into the slab.
        slab.waiting += 2
        const ended = () => slabs?.release(slab)
        block.then(ended, ended)
      } else {
        // The caller that requests the block receives the failure; if no caller does, it does not matter.
        block.catch(() => undefined)
      }
      const cid = plan.cids[plan.next + at]
      const sizeBytes = plan.places[from + at]?.length ?? 0
      if (cid !== undefined) keep(bytesKey(cid.multihash.bytes), { plan, sizeBytes, block, slab })
    }
    plan.next += blocks.length
  }

  const pendingOf = (plan: Plan): number => {
    let count = 0
    for (const entry of ready.values()) if (entry.plan === plan) count++
    return count
  }

  /** Returns the plan in which this block comes soon; blocks before it were skipped. */
  const planFor = (cid: CID): Plan | undefined => {
    for (const plan of plans.toReversed()) {
      const at = plan.cids.slice(plan.next, plan.next + locatedAtOnce).findIndex((other) => other.equals(cid))
      if (at < 0) continue
      if (plan.starting === undefined) plan.next += at
      return plan
    }
    return undefined
  }

  return {
    async get(cid: CID, options: ReadOptions = {}) {
      options.signal?.throwIfAborted()
      if (isIdentity(cid)) return reader.get(cid)
      const key = bytesKey(cid.multihash.bytes)
      if (!ready.has(key)) {
        const plan = planFor(cid)
        if (plan === undefined) return reader.get(cid, options)
        await startRun(plan)
      }
      const taken = take(key)
      if (taken === undefined) return reader.get(cid, options)
      // The next run starts when this one is first used, so that it is read and verified while this one is sent.
      if (pendingOf(taken.plan) <= 4) startRun(taken.plan).catch(() => undefined)
      return taken.block
    },
    prefetch(cids) {
      if (cids.length < 2) return
      plans.push({ cids: [...cids], next: 0, places: [], located: 0 })
      // Plans that are finished or were abandoned are removed.
      for (let at = plans.length - 1; at >= 0; at--) {
        const plan = plans[at]
        if (plan !== undefined && (plan.next >= plan.cids.length || plans.length - at > maxPlans)) plans.splice(at, 1)
      }
    },
  }
}
