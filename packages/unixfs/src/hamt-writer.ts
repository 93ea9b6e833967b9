import type { BlockSink } from './block-sink.ts'
import { encodeDagPb, type LinkToEncode } from './dag-pb.ts'
import type { HashFunction } from './hash-function.ts'
import { hashName } from './murmur3.ts'
import type { ImportProfile } from './profiles.ts'
import { encodeHamtData } from './unixfs-data.ts'
import { UnixfsError } from './unixfs-error.ts'
import { writeNode } from './write-node.ts'

type HashedLink = { link: LinkToEncode; hash: Uint8Array }

/** Levels that 64 bits of hash give at 8 bits each. */
const maxLevels = 8

const hex = Array.from({ length: 256 }, (_, slot) => {
  const digits = slot.toString(16).toUpperCase().padStart(2, '0')
  return Uint8Array.of(digits.charCodeAt(0), digits.charCodeAt(1))
})
const noBytes = new Uint8Array(0)

/**
 * Writes a folder as Kubo's HAMT (fan-out 256, murmur3-x64-64), shards before the shard above. Links have different
 * names.
 * @throws UnixfsError TOO_DEEP when the names of two links share all 64 bits of their hash.
 * @see https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory
 */
export async function writeHamt(
  links: readonly LinkToEncode[],
  profile: ImportProfile,
  hash: HashFunction,
  sink: BlockSink,
): Promise<LinkToEncode> {
  const hashed = links.map((link) => ({ link, hash: hashName(link.name) }))

  const writeShard = async (members: readonly HashedLink[], level: number): Promise<LinkToEncode> => {
    if (level === maxLevels) throw new UnixfsError('TOO_DEEP', 'Two names of one folder have the same 64-bit hash')
    const slots: (HashedLink[] | undefined)[] = new Array(256).fill(undefined)
    for (const member of members) {
      const slot = member.hash[level] ?? 0
      const others = slots[slot]
      if (others === undefined) slots[slot] = [member]
      else others.push(member)
    }
    const shardLinks: LinkToEncode[] = []
    const bitfield = new Uint8Array(32)
    for (let slot = 0; slot < 256; slot++) {
      const inSlot = slots[slot]
      const first = inSlot?.[0]
      if (inSlot === undefined || first === undefined) continue
      const at = 31 - (slot >> 3)
      bitfield[at] = (bitfield[at] ?? 0) | (1 << (slot & 7))
      const { cid, name, sizeBytes } = inSlot.length === 1 ? first.link : await writeShard(inSlot, level + 1)
      shardLinks.push({ cid, name: joinName(hex[slot] ?? noBytes, name), sizeBytes })
    }
    const start = bitfield.findIndex((byte) => byte !== 0)
    const block = encodeDagPb(shardLinks, encodeHamtData(bitfield.subarray(start === -1 ? 32 : start)))
    return writeNode(block, shardLinks, profile, hash, sink)
  }

  return writeShard(hashed, 0)
}

function joinName(prefix: Uint8Array, name: Uint8Array): Uint8Array {
  const joined = new Uint8Array(prefix.length + name.length)
  joined.set(prefix)
  joined.set(name, prefix.length)
  return joined
}
