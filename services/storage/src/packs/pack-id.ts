import { randomInt } from 'node:crypto'

const randomBits = 20n
/** Packs of 2^24 ms, 4.7 hours, share a folder: few folders to sync, none that grows without limit. */
const folderBits = 24n

let last = 0n

/** Creates an id: milliseconds, then 20 random bits; it increases within a millisecond. */
export function nextPackId(nowMs: number): bigint {
  const id = (BigInt(Math.trunc(nowMs)) << randomBits) | BigInt(randomInt(2 ** Number(randomBits)))
  last = id <= last && id >> randomBits === last >> randomBits ? last + 1n : id
  return last
}

/** Creation time of a pack, in ms since 1970. */
export function packTime(id: bigint): number {
  return Number(id >> randomBits)
}

/** Returns the object key of a pack: `packs/{time, hex}/{id, hex}.car`. */
export function packKey(id: bigint): string {
  const folder = (id >> (randomBits + folderBits)).toString(16)
  return `packs/${folder.padStart(5, '0')}/${id.toString(16).padStart(16, '0')}.car`
}

/** Parses the id from the key of a pack; undefined for any other key. */
export function packIdOfKey(key: string): bigint | undefined {
  const hex = /^packs\/[0-9a-f]+\/([0-9a-f]{16})\.car$/.exec(key)?.[1]
  if (hex === undefined) return undefined
  const id = BigInt(`0x${hex}`)
  return packKey(id) === key ? id : undefined
}
