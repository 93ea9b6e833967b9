import type { HashFunction } from '../cids/hash-function.ts'
import { encodeDagPb, type LinkToEncode } from '../formats/dag-pb.ts'
import { slotDigits } from '../formats/node.ts'
import { encodeHamtData } from '../formats/unixfs-data.ts'
import { readSlot } from '../hamt/hamt-slots.ts'
import { writeNameHash } from '../hamt/murmur3.ts'
import { nameHashBytes, sortByHash } from '../hamt/name-hashes.ts'
import { UnixfsError } from '../unixfs-error.ts'
import type { BlockSink } from './block-sink.ts'
import type { EntryTable } from './entry-table.ts'
import type { ImportProfile } from './profiles.ts'
import { writeNode } from './write-node.ts'

const hashBits = 64
const utf8 = new TextEncoder()

/**
 * Writes a folder as a HAMT like Kubo (murmur3-x64-64), shards before their parent. Creates the links of one shard at a
 * time, so that only those are in memory.
 * @throws UnixfsError TOO_DEEP if the names of two links share all 64 bits of their hash
 * @see https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory
 */
export async function writeHamt(
  { childrenOf, linkOf, nameOf }: Pick<EntryTable, 'childrenOf' | 'linkOf' | 'nameOf'>,
  folder: number,
  profile: ImportProfile,
  hash: HashFunction,
  sink: BlockSink,
): Promise<LinkToEncode> {
  const { hamtFanout: fanout } = profile
  const bits = Math.log2(fanout)
  const maxLevels = Math.floor(hashBits / bits)
  const prefixes = slotPrefixes(fanout)
  const all = Uint32Array.from(childrenOf(folder))
  const hashes = new Uint8Array(all.length * nameHashBytes)
  for (let at = 0; at < all.length; at++) writeNameHash(nameOf(all[at] ?? 0), hashes, at * nameHashBytes)
  // In the order of their hashes, the members of every shard and slot on every level stand together.
  const sorted = sortByHash(hashes)
  const slotAt = (at: number, level: number): number => readSlot(hashes, (sorted[at] ?? 0) * nameHashBytes, level, bits)

  /** Writes the shard of the members from `start` to `end` in `sorted`. */
  const writeShard = async (start: number, end: number, level: number): Promise<LinkToEncode> => {
    if (level === maxLevels) throw new UnixfsError('TOO_DEEP', 'Two names of one folder have the same 64-bit hash')
    const shardLinks: LinkToEncode[] = []
    const bitfield = new Uint8Array(fanout / 8)
    for (let first = start, next = start; first < end; first = next) {
      const slot = slotAt(first, level)
      do next++
      while (next < end && slotAt(next, level) === slot)
      const at = bitfield.length - 1 - (slot >> 3)
      bitfield[at] = (bitfield[at] ?? 0) | (1 << (slot & 7))
      const isOnly = next - first === 1
      const link = isOnly ? linkOf(all[sorted[first] ?? 0] ?? 0) : await writeShard(first, next, level + 1)
      link.prefix = prefixes[slot]
      shardLinks.push(link)
    }
    let zeros = 0
    while (bitfield[zeros] === 0) zeros++
    const block = encodeDagPb(shardLinks, encodeHamtData(bitfield.subarray(zeros), fanout))
    return writeNode(block, shardLinks, profile, hash, sink)
  }

  return writeShard(0, all.length, 0)
}

/** Returns the characters of each slot that begin the names of links. */
function slotPrefixes(fanout: number): Uint8Array[] {
  const digits = slotDigits(fanout)
  return Array.from({ length: fanout }, (_, slot) => utf8.encode(slot.toString(16).toUpperCase().padStart(digits, '0')))
}
