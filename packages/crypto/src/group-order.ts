import { CairnError, type KeyShard } from '@cairn/protocol'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js'

/** The scalar field of BLS12-381: keys, shards and indexes are its numbers. */
export const field = bls12_381.fields.Fr

/** Bytes of a scalar on the wire: big-endian, always all of them. */
export const scalarBytes = 32
/** Bytes drawn for one random scalar: reduced modulo the order they are uniform to 2^-128. */
const drawnBytes = 48
const scalarPattern = /^[0-9a-f]{64}$/

/** A scalar of 64 hex characters, any case, from 1 to the order less one; undefined for anything else. */
export function parseScalar(text: unknown): bigint | undefined {
  if (typeof text !== 'string') return undefined
  const digits = text.toLowerCase()
  if (!scalarPattern.test(digits)) return undefined
  const value = bytesToNumberBE(hexToBytes(digits))
  return value === 0n || value >= field.ORDER ? undefined : value
}

/** 64 lower-case hex characters, leading zeros and all: the text is what files' passwords are made of. */
export function writeScalar(value: bigint): string {
  return bytesToHex(numberToBytesBE(value, scalarBytes))
}

/** A uniform scalar that is not zero. */
export function randomScalar(): bigint {
  for (;;) {
    const value = bytesToNumberBE(randomBytes(drawnBytes)) % field.ORDER
    if (value !== 0n) return value
  }
}

/** Both coordinates of a shard. @throws CairnError INVALID_SHARD */
export function parseShard(shard: unknown): { x: bigint; y: bigint } {
  const isPair = typeof shard === 'object' && shard !== null && 'index' in shard && 'key' in shard
  const x = isPair ? parseScalar(shard.index) : undefined
  // The polynomial may pass through zero, at one index of 2^255: a shard of zero is valid, an index of zero is the key.
  const y = isPair ? (parseScalar(shard.key) ?? (shard.key === '0'.repeat(64) ? 0n : undefined)) : undefined
  if (x === undefined || y === undefined) throw new CairnError('INVALID_SHARD')
  return { x, y }
}

/** A shard of two coordinates. */
export function writeShard(x: bigint, y: bigint): KeyShard {
  return { key: writeScalar(y), index: writeScalar(x) }
}
