import { CairnError, type KeyShard } from '@cairn/protocol'
import { bytesToHex, randomBytes } from '@noble/hashes/utils.js'

/** Order of the scalar field of BLS12-381: keys, shards and indexes are numbers below it. */
export const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/** Returns the representative of a number from 0 to the order less one. */
export function reduce(value: bigint): bigint {
  const rest = value % order
  return rest < 0n ? rest + order : rest
}

/**
 * Returns the inverse of a number from 1 to the order less one by Euclid's extended algorithm. It takes a tenth of the
 * time of Fermat's theorem, but a time that varies with the number, so no secret is inverted. `invert` of
 * `@noble/curves` would make browsers load 260 bytes more.
 * @throws CairnError KEY_NOT_RECOVERED for zero, the difference of an index that a dealer used twice
 */
export function invert(value: bigint, modulus = order): bigint {
  if (value === 0n) throw new CairnError('KEY_NOT_RECOVERED')
  return value === 1n ? 1n : modulus - (modulus * invert(modulus % value, value) - 1n) / value
}

/** Bytes of a scalar on the wire: big-endian, fixed length. */
const scalarBytes = 32
/** Random bytes per scalar: reduced modulo the order they are uniform to 2^-128. */
const drawnBytes = 48
const scalarPattern = /^[0-9a-f]{64}$/

/** Parses a scalar of 64 hex characters, any case, from 1 to the order less one; undefined for anything else. */
export function parseScalar(text: unknown): bigint | undefined {
  if (typeof text !== 'string') return undefined
  const digits = text.toLowerCase()
  if (!scalarPattern.test(digits)) return undefined
  const value = BigInt(`0x${digits}`)
  return value === 0n || value >= order ? undefined : value
}

/**
 * Formats a scalar as 64 lower-case hex characters with leading zeros: the passwords of files derive from this text.
 */
export function writeScalar(value: bigint): string {
  return value.toString(16).padStart(2 * scalarBytes, '0')
}

/** Returns a uniform non-zero scalar. */
export function randomScalar(): bigint {
  for (;;) {
    const value = reduce(BigInt(`0x${bytesToHex(randomBytes(drawnBytes))}`))
    if (value !== 0n) return value
  }
}

/**
 * Parses both coordinates of a shard.
 * @throws CairnError INVALID_SHARD
 */
export function parseShard(shard: unknown): { x: bigint; y: bigint } {
  const isPair = typeof shard === 'object' && shard !== null && 'index' in shard && 'key' in shard
  const x = isPair ? parseScalar(shard.index) : undefined
  // The polynomial may pass through zero, at one index of 2^255: a shard of zero is valid, an index of zero is the key.
  const y = isPair ? (parseScalar(shard.key) ?? (shard.key === '0'.repeat(64) ? 0n : undefined)) : undefined
  if (x === undefined || y === undefined) throw new CairnError('INVALID_SHARD')
  return { x, y }
}

/** Formats a shard of two coordinates. */
export function writeShard(x: bigint, y: bigint): KeyShard {
  return { key: writeScalar(y), index: writeScalar(x) }
}
