import { murmur364 } from '@multiformats/murmur3'

/** Returns the 8 bytes that place a name in a HAMT: murmur3-x64-64 of its UTF-8, most significant byte first. */
export function hashName(name: Uint8Array): Uint8Array {
  const hash = murmur364.encode(name)
  if (hash instanceof Promise) throw new TypeError('murmur3 must answer at once')
  return hash
}
