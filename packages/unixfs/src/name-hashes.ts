import { writeNameHash } from './murmur3.ts'

/** Bytes of the hash that places a name in a HAMT. */
export const nameHashBytes = 8
/** Which of the two words of a number of 64 bits is the lower one. */
const lowWord = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1
/** A folder whose names and CIDs have more bytes than this is a HAMT in every import profile. */
const maxPlainBytes = 262_144
/** Bytes of a CID with SHA2-256. */
const cidBytes = 36
const utf8 = new TextEncoder()

/**
 * Returns the entries of a folder in the order in which a walk through it comes to them: by name, or by the hash of the name if
 * they make it a HAMT. Files that are stored in this order are read in runs later.
 */
export function sortAsWalked<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  const names = entries.map(({ name }) => utf8.encode(name))
  const linkBytes = names.reduce((sum, name) => sum + name.length + cidBytes, 0)
  if (linkBytes <= maxPlainBytes) return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const hashes = new Uint8Array(names.length * nameHashBytes)
  for (const [at, name] of names.entries()) writeNameHash(name, hashes, at * nameHashBytes)
  return Array.from(sortByHash(hashes)).flatMap((at) => entries[at] ?? [])
}

/**
 * Returns the positions of hashes of 8 bytes in the order of the hashes. The engine sorts numbers of 64 bits, the first
 * half of a hash with its position, much faster than it calls a function to compare them.
 */
export function sortByHash(hashes: Uint8Array): Uint32Array {
  const count = hashes.length / nameHashBytes
  const words = new Uint32Array(count * 2)
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.length)
  for (let at = 0; at < count; at++) {
    words[at * 2 + lowWord] = at
    words[at * 2 + 1 - lowWord] = view.getUint32(at * nameHashBytes)
  }
  new BigUint64Array(words.buffer).sort()
  const sorted = new Uint32Array(count)
  for (let at = 0; at < count; at++) {
    const member = words[at * 2 + lowWord] ?? 0
    const first = words[at * 2 + 1 - lowWord]
    const second = view.getUint32(member * nameHashBytes + 4)
    // The few hashes with the same first half are sorted by the second.
    let to = at
    for (; to > 0 && words[to * 2 - 1 - lowWord] === first; to--) {
      const before = sorted[to - 1] ?? 0
      if (view.getUint32(before * nameHashBytes + 4) <= second) break
      sorted[to] = before
    }
    sorted[to] = member
  }
  return sorted
}
