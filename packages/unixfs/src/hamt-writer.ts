import type { BlockSink } from './block-sink.ts'
import { encodeDagPb, type LinkToEncode } from './dag-pb.ts'
import type { EntryTable } from './entry-table.ts'
import { readSlot } from './hamt-slots.ts'
import type { HashFunction } from './hash-function.ts'
import { hashName } from './murmur3.ts'
import { slotDigits } from './node.ts'
import type { ImportProfile } from './profiles.ts'
import { encodeHamtData } from './unixfs-data.ts'
import { UnixfsError } from './unixfs-error.ts'
import { writeNode } from './write-node.ts'

const hashBytes = 8
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
  const digits = slotDigits(fanout)
  const all = Uint32Array.from(childrenOf(folder))
  const hashes = new Uint8Array(all.length * hashBytes)
  for (const [at, entry] of all.entries()) hashes.set(hashName(nameOf(entry)), at * hashBytes)

  /** @param members positions in `all` */
  const writeShard = async (members: Uint32Array, level: number): Promise<LinkToEncode> => {
    if (level === maxLevels) throw new UnixfsError('TOO_DEEP', 'Two names of one folder have the same 64-bit hash')
    const { ends, sorted } = sortBySlot(members, fanout, (member) => readSlot(hashes, member * hashBytes, level, bits))
    const shardLinks: LinkToEncode[] = []
    const bitfield = new Uint8Array(fanout / 8)
    for (let slot = 0; slot < fanout; slot++) {
      const inSlot = sorted.subarray(slot === 0 ? 0 : ends[slot - 1], ends[slot])
      const first = inSlot[0]
      if (first === undefined) continue
      const at = bitfield.length - 1 - (slot >> 3)
      bitfield[at] = (bitfield[at] ?? 0) | (1 << (slot & 7))
      const link = inSlot.length === 1 ? linkOf(all[first] ?? 0) : await writeShard(inSlot, level + 1)
      shardLinks.push({
        cid: link.cid,
        name: joinName(utf8.encode(slot.toString(16).toUpperCase().padStart(digits, '0')), link.name),
        sizeBytes: link.sizeBytes,
      })
    }
    const start = bitfield.findIndex((byte) => byte !== 0)
    const block = encodeDagPb(
      shardLinks,
      encodeHamtData(bitfield.subarray(start === -1 ? bitfield.length : start), fanout),
    )
    return writeNode(block, shardLinks, profile, hash, sink)
  }

  return writeShard(
    Uint32Array.from(all, (_entry, at) => at),
    0,
  )
}

/** Returns the members ordered by slot, and the end of each slot. */
function sortBySlot(
  members: Uint32Array,
  fanout: number,
  slotOf: (member: number) => number,
): { ends: Uint32Array; sorted: Uint32Array } {
  const ends = new Uint32Array(fanout)
  for (const member of members) ends[slotOf(member)] = (ends[slotOf(member)] ?? 0) + 1
  for (let slot = 1; slot < fanout; slot++) ends[slot] = (ends[slot] ?? 0) + (ends[slot - 1] ?? 0)
  const sorted = new Uint32Array(members.length)
  // From the back, so that each slot fills from its end down; the start of the next slot is its end.
  const next = ends.slice()
  for (let at = members.length - 1; at >= 0; at--) {
    const member = members[at] ?? 0
    const slot = slotOf(member)
    const place = (next[slot] ?? 0) - 1
    next[slot] = place
    sorted[place] = member
  }
  return { ends, sorted }
}

function joinName(prefix: Uint8Array, name: Uint8Array): Uint8Array {
  const joined = new Uint8Array(prefix.length + name.length)
  joined.set(prefix)
  joined.set(name, prefix.length)
  return joined
}
