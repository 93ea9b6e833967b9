import { CairnError } from '@cairn/protocol'
import type { AddressSlots } from '@cairn/service'
import { type BlockSource, UnixfsError, walkDag } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { inShortTurns } from '../resources/yield-to-others.ts'

/** The size of one DAG, as Kubo describes it. */
export type DagSize = { Cid: string; Size: number; NumBlocks: number }

/** Sizes of several DAGs, and of the blocks of all of them, each counted once. */
export type CountedBlocks = { stats: DagSize[]; uniqueBlocks: number; uniqueBytes: number }

/** Limits of a count: each block takes some 250 bytes of memory until the count ends. */
export type CountLimits = {
  /** Maximum number of blocks of all DAGs together. */
  maxBlocks: number
  /** Number of blocks beyond which a count needs one of `slots`. */
  freeBlocks: number
  slots: AddressSlots
}

/** Counts the blocks of DAGs. */
export type BlockCount = {
  /** @throws UnixfsError TOO_LARGE, and errors of the source; CairnError OVERLOADED while others count large DAGs */
  add(source: BlockSource, cid: CID, signal: AbortSignal): Promise<void>
  result(): CountedBlocks
  /** Frees its slot. */
  end(): void
}

/** Begins a count for a client. */
export function beginCount(address: string, { maxBlocks, freeBlocks, slots }: CountLimits): BlockCount {
  const unique = new Map<string, number>()
  const stats: DagSize[] = []
  let blocks = 0
  let release: (() => void) | undefined

  const requireSlot = (): void => {
    if (blocks <= freeBlocks || release !== undefined) return
    release = slots.acquire(address)
    if (release === undefined) {
      throw new CairnError('OVERLOADED', {
        message: 'Other calls count the blocks of large DAGs',
        hint: 'Try again in a few seconds.',
        retryAfterSeconds: 5,
      })
    }
  }

  return {
    async add(source, cid, signal) {
      const stat = { Cid: cid.toString(), Size: 0, NumBlocks: 0 }
      stats.push(stat)
      for await (const block of inShortTurns(walkDag(source, cid, { signal, maxBlocks, withIdentity: true }), signal)) {
        if (++blocks > maxBlocks) throw new UnixfsError('TOO_LARGE', `The DAGs have more than ${maxBlocks} blocks`)
        requireSlot()
        stat.Size += block.bytes.length
        stat.NumBlocks++
        unique.set(block.cid.toString(), block.bytes.length)
      }
    },
    result() {
      let uniqueBytes = 0
      for (const size of unique.values()) uniqueBytes += size
      return { stats, uniqueBlocks: unique.size, uniqueBytes }
    },
    end: () => release?.(),
  }
}
