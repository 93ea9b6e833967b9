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
 * Returns the positions of hashes of 8 bytes in the order of the hashes. The engine sorts numbers of 64 bits, half of a hash
 * with its position, much faster than it calls a function to compare them.
 */
export function sortByHash(hashes: Uint8Array): Uint32Array {
  const count = hashes.length / nameHashBytes
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.length)
  const halfOf = (member: number, half: 0 | 4): number => view.getUint32(member * nameHashBytes + half)
  const sorted = sortByHalf(
    new Uint32Array(count).map((_, at) => at),
    (member) => halfOf(member, 0),
  )
  // Hashes with the same first half are sorted by the second. They are few, unless the names were made for it.
  for (let start = 0; start < count; ) {
    const first = halfOf(sorted[start] ?? 0, 0)
    let end = start + 1
    while (end < count && halfOf(sorted[end] ?? 0, 0) === first) end++
    if (end - start > 1)
      sorted.set(
        sortByHalf(sorted.subarray(start, end), (member) => halfOf(member, 4)),
        start,
      )
    start = end
  }
  return sorted
}

/** Returns members in the order of half of their hashes. */
function sortByHalf(members: Uint32Array, halfOf: (member: number) => number): Uint32Array {
  const words = new Uint32Array(members.length * 2)
  for (let at = 0; at < members.length; at++) {
    const member = members[at] ?? 0
    words[at * 2 + lowWord] = member
    words[at * 2 + 1 - lowWord] = halfOf(member)
  }
  new BigUint64Array(words.buffer).sort()
  return members.map((_, at) => words[at * 2 + lowWord] ?? 0)
}
