import { MIB } from '@cairn/protocol'
import { type CidList, packCids } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { bytesKey } from '../block-key.ts'
import { isIdentity } from '../identity.ts'
import type { BlockLocation, PackReader, ReadOptions } from '../types.ts'
import { type BlockReader, lengthOfRun, runSlabBytes } from './block-reader.ts'
import { createRunSlabs, type RunSlab, type SlabMemory } from './run-slabs.ts'

/** Number of blocks located per query. */
const locatedAtOnce = 256
/**
 * Maximum number of runs that are read and hashed while another is sent. With fewer, the hash, the slowest step, would sometimes
 * be idle. A reader that never waits for a block, because its client is slow, has one.
 */
const maxRunsAhead = 3
/** The same for a remote store, where each read waits for the network and concurrent reads do not slow each other. */
const maxRemoteRunsAhead = 8
/** Read-ahead bytes per reader beyond those of its runs; blocks that were skipped are evicted first. */
const maxSkippedBytes = 5 * MIB
/** Maximum number of prefetch lists: one per level of a tree that is being walked. */
const maxPlans = 64

type Plan = {
  readonly cids: CidList
  next: number
  places: (BlockLocation | undefined)[]
  located: number
  /** Bytes of its blocks that were read ahead and not requested yet. */
  aheadBytes: number
  runsAhead: number
  starting?: Promise<void> | undefined
  /** The list that was announced after it. */
  following?: Plan
}
type Ready = {
  readonly plan: Plan
  readonly sizeBytes: number
  readonly block: Promise<Uint8Array>
  readonly slab: RunSlab | undefined
  isRead: boolean
}

/**
 * Creates a source for one reader. Prefetched blocks are read in runs of about 1 MiB: the first when its first block
 * is requested, and another with each one that is requested while there are fewer than `runsAhead`.
 * With `recycled`, the memory of runs is reused: a block's bytes are valid until it and the blocks after it are more than
 * a MiB, and the next one is requested. A reader passes each block on before it requests the next, and may have up to a
 * MiB that waits to be sent. While there is no memory for a slab, blocks are read one by one, into memory of their own.
 */
export function createReadAhead(reader: BlockReader, recycled?: SlabMemory): PackReader {
  const mostRuns = reader.isRemote ? maxRemoteRunsAhead : maxRunsAhead
  const maxAheadBytes = mostRuns * runSlabBytes + maxSkippedBytes
  const slabs = recycled === undefined ? undefined : createRunSlabs(runSlabBytes, recycled)
  /** Newest last: a tree is walked depth first, so the newest list is in use. */
  const plans: Plan[] = []
  const ready = new Map<string, Ready>()
  let aheadBytes = 0
  /** Bytes of blocks that the reader has. It has passed them on only when it requests another block. */
  let handedOver = 0

  const take = (key: string): Ready | undefined => {
    const entry = ready.get(key)
    if (entry === undefined) return undefined
    ready.delete(key)
    aheadBytes -= entry.sizeBytes
    entry.plan.aheadBytes -= entry.sizeBytes
    if (entry.slab !== undefined) slabs?.release(entry.slab)
    return entry
  }

  const keep = (key: string, entry: Ready): void => {
    take(key)
    ready.set(key, entry)
    aheadBytes += entry.sizeBytes
    entry.plan.aheadBytes += entry.sizeBytes
    for (const oldest of ready.keys()) {
      if (aheadBytes <= maxAheadBytes) return
      take(oldest)
    }
  }

  const readOne = async (cid: CID, options: ReadOptions): Promise<Uint8Array> => {
    const block = await reader.get(cid, options)
    handedOver += block.length
    return block
  }

  const startRun = (plan: Plan): Promise<void> => {
    plan.starting ??= readNext(plan).finally(() => {
      plan.starting = undefined
    })
    return plan.starting
  }

  /** Reads on where a block was consumed; once all of its list is read, in the list that was announced after it. */
  const readOn = (plan: Plan): void => {
    const { following } = plan
    let due = plan
    let { aheadBytes } = plan
    if (plan.next >= plan.cids.length) {
      if (following === undefined) return
      due = following
      due.runsAhead = Math.max(due.runsAhead, plan.runsAhead)
      aheadBytes += due.aheadBytes
    }
    if (aheadBytes <= due.runsAhead * runSlabBytes) startRun(due).catch(() => undefined)
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
    if (slabs !== undefined && slab === undefined) return
    const places = plan.places.slice(from)
    // Decodes no more than the run reads.
    const cids = plan.cids.slice(plan.next, plan.next + lengthOfRun(places))
    const { blocks } = reader.readRun(cids, places.slice(0, cids.length), slab)
    for (const [at, block] of blocks.entries()) {
      const sizeBytes = plan.places[from + at]?.length ?? 0
      const entry: Ready = { plan, sizeBytes, block, slab, isRead: false }
      // Once for the block that waits to be consumed, once for the read that writes into the slab.
      if (slab !== undefined) slab.waiting += 2
      // The caller that requests the block receives its failure; if no caller does, it does not matter.
      const ended = () => {
        entry.isRead = true
        if (slab !== undefined) slabs?.release(slab)
      }
      block.then(ended, ended)
      const cid = cids[at]
      if (cid !== undefined) keep(bytesKey(cid.multihash.bytes), entry)
    }
    plan.next += blocks.length
  }

  /** Returns the plan in which this block comes soon; blocks before it were skipped. */
  const planFor = (cid: CID): Plan | undefined => {
    for (const plan of plans.toReversed()) {
      const at = plan.cids.indexOf(cid, plan.next, plan.next + locatedAtOnce)
      if (at < 0) continue
      if (plan.starting === undefined) plan.next = at
      return plan
    }
    return undefined
  }

  return {
    async get(cid: CID, options: ReadOptions = {}) {
      options.signal?.throwIfAborted()
      slabs?.advance(handedOver)
      handedOver = 0
      if (isIdentity(cid)) return reader.get(cid)
      const key = bytesKey(cid.multihash.bytes)
      if (!ready.has(key)) {
        const plan = planFor(cid)
        if (plan === undefined) return readOne(cid, options)
        await startRun(plan)
      }
      const taken = take(key)
      if (taken === undefined) return readOne(cid, options)
      handedOver += taken.sizeBytes
      const { plan } = taken
      if (!taken.isRead) plan.runsAhead = Math.min(plan.runsAhead + 1, mostRuns)
      readOn(plan)
      return taken.block
    },
    close: (isSent) => slabs?.drop(isSent),
    prefetch(cids) {
      if (cids.length < 2) return
      // A list that is announced may change later, a packed one does not.
      const list = 'map' in cids ? packCids(cids) : cids
      const plan: Plan = { cids: list, next: 0, places: [], located: 0, aheadBytes: 0, runsAhead: 1 }
      const before = plans.at(-1)
      if (before !== undefined) before.following = plan
      plans.push(plan)
      // Plans that are finished or were abandoned are removed.
      for (let at = plans.length - 1; at >= 0; at--) {
        const plan = plans[at]
        if (plan !== undefined && (plan.next >= plan.cids.length || plans.length - at > maxPlans)) plans.splice(at, 1)
      }
    },
  }
}
