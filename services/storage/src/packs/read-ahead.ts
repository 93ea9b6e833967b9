import { MIB } from '@cairn/protocol'
import type { BlockSource } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { type BlockReader, runRoomBytes } from './block-reader.ts'
import { isIdentity } from './identity.ts'
import type { BlockLocation, ReadOptions } from './packs.ts'
import { createRunRooms, type RunRoom } from './run-rooms.ts'
import { bytesKey } from './sha256-multihash.ts'

/** Blocks located with one query. */
const locatedAtOnce = 64
/** Bytes read ahead that are kept for one reader; those that were passed over are forgotten first. */
const aheadBytesMost = 8 * MIB
/** Lists of blocks to come that are remembered: one for each level of a tree that is being walked. */
const plansMost = 64

type Plan = {
  readonly cids: readonly CID[]
  next: number
  places: (BlockLocation | undefined)[]
  located: number
  starting?: Promise<void> | undefined
}
type Ready = { plan: Plan; sizeBytes: number; block: Promise<Uint8Array>; room: RunRoom | undefined }

/**
 * A source for one reader. What it is told to prefetch is read in runs of about a MiB: the first when its first block
 * is asked for, each next one while the one before it is being used. So at most two runs a level are in memory.
 *
 * With `recycle` the memory of runs is used again: a block's bytes are good until a MiB more has been asked for, which
 * suits a reader that passes each block on before it asks for the next.
 */
export function createReadAhead(reader: BlockReader, { recycle = false } = {}): BlockSource {
  const rooms = recycle ? createRunRooms(runRoomBytes) : undefined
  /** Newest last: a tree is walked depth first, so the newest list is the one in use. */
  const plans: Plan[] = []
  const ready = new Map<string, Ready>()
  let aheadBytes = 0

  const take = (key: string): Ready | undefined => {
    const entry = ready.get(key)
    if (entry === undefined) return undefined
    ready.delete(key)
    aheadBytes -= entry.sizeBytes
    if (entry.room !== undefined) rooms?.letGo(entry.room)
    return entry
  }

  const keep = (key: string, entry: Ready): void => {
    take(key)
    ready.set(key, entry)
    aheadBytes += entry.sizeBytes
    for (const oldest of ready.keys()) {
      if (aheadBytes <= aheadBytesMost) return
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
    const room = rooms?.next()
    const { blocks } = reader.readRun(plan.cids.slice(plan.next, plan.located), plan.places.slice(from), room?.bytes)
    for (const [at, block] of blocks.entries()) {
      if (room !== undefined) {
        // Once for the block that waits to be taken, once for the read that writes into the room.
        room.waiting += 2
        const ended = () => rooms?.letGo(room)
        block.then(ended, ended)
      } else {
        // Whoever asks for the block hears of a failure; if nobody does, it matters to nobody.
        block.catch(() => undefined)
      }
      const cid = plan.cids[plan.next + at]
      const sizeBytes = plan.places[from + at]?.length ?? 0
      if (cid !== undefined) keep(bytesKey(cid.multihash.bytes), { plan, sizeBytes, block, room })
    }
    plan.next += blocks.length
  }

  const pendingOf = (plan: Plan): number => {
    let count = 0
    for (const entry of ready.values()) if (entry.plan === plan) count++
    return count
  }

  /** The plan in which this block comes soon; what stands before it there was passed over. */
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
      // The run ahead starts with the use of this one, so that it is read and checked while this one is sent.
      if (pendingOf(taken.plan) <= 4) startRun(taken.plan).catch(() => undefined)
      return taken.block
    },
    prefetch(cids) {
      if (cids.length < 2) return
      plans.push({ cids: [...cids], next: 0, places: [], located: 0 })
      // Plans that are read to the end, or were left behind, go.
      for (let at = plans.length - 1; at >= 0; at--) {
        const plan = plans[at]
        if (plan !== undefined && (plan.next >= plan.cids.length || plans.length - at > plansMost)) plans.splice(at, 1)
      }
    },
  }
}
