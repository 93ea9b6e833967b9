import { randomInt } from 'node:crypto'

const randomBits = 20n
/** Packs of 2^24 ms, 4.7 hours, share a folder: few folders to sync, none that grows for ever. */
const folderBits = 24n

let last = 0n

/** A new id: milliseconds, then 20 random bits; within a millisecond it grows from call to call. */
export function nextPackId(nowMs: number): bigint {
  const id = (BigInt(Math.trunc(nowMs)) << randomBits) | BigInt(randomInt(2 ** Number(randomBits)))
  last = id <= last && id >> randomBits === last >> randomBits ? last + 1n : id
  return last
}

/** When a pack was begun, in ms since 1970. */
export function packTime(id: bigint): number {
  return Number(id >> randomBits)
}

/** Key of the object of a pack: `packs/{time, hex}/{id, hex}.car`. */
export function packKey(id: bigint): string {
  const folder = (id >> (randomBits + folderBits)).toString(16)
  return `packs/${folder.padStart(5, '0')}/${id.toString(16).padStart(16, '0')}.car`
}

/** The id in a key, or undefined where the key is not one of a pack. */
export function packIdOfKey(key: string): bigint | undefined {
  const hex = /^packs\/[0-9a-f]+\/([0-9a-f]{16})\.car$/.exec(key)?.[1]
  if (hex === undefined) return undefined
  const id = BigInt(`0x${hex}`)
  return packKey(id) === key ? id : undefined
}
