import { CairnError, type KeyShard, keyShardCount, keyShardThreshold } from '@cairn/protocol'
import { parseScalar, randomScalar, reduce, writeScalar, writeShard } from './group-order.ts'

/** Maximum number of shards: far above any use, so that a wrong number does not cost minutes. */
const maxShards = 1000

/** A key and its shards. */
export type KeySet = { masterKey: string; keyShards: KeyShard[] }

/**
 * Generates a random key and splits it.
 * @param threshold shards needed to recover, at least 2
 * @param count total shards
 * @throws CairnError INVALID_THRESHOLD
 */
export function generateKey(threshold = keyShardThreshold, count = keyShardCount): KeySet {
  const masterKey = writeScalar(randomScalar())
  return { masterKey, keyShards: splitKey(masterKey, threshold, count) }
}

/**
 * Splits a key by Shamir's scheme over the scalar field of BLS12-381: any `threshold` shards recover it, fewer reveal
 * nothing. Coefficients and indexes are uniform; indexes are distinct and never zero.
 * @param masterKey 64 hex characters, a number from 1 to the order less one
 * @throws CairnError KEY_NOT_SHARDABLE, INVALID_THRESHOLD
 */
export function splitKey(masterKey: string, threshold = keyShardThreshold, count = keyShardCount): KeyShard[] {
  const secret = parseScalar(masterKey)
  if (secret === undefined) throw new CairnError('KEY_NOT_SHARDABLE')
  if (!Number.isSafeInteger(threshold) || !Number.isSafeInteger(count) || count > maxShards || threshold > count)
    throw new CairnError('INVALID_THRESHOLD')
  if (threshold < 2)
    throw new CairnError('INVALID_THRESHOLD', {
      message: 'The threshold must be at least 2. With 1, a single shard is the key',
    })
  const coefficients = [secret]
  while (coefficients.length < threshold) coefficients.push(randomScalar())
  const indexes = new Set<bigint>()
  while (indexes.size < count) indexes.add(randomScalar())
  return [...indexes].map((x) => writeShard(x, evaluate(coefficients, x)))
}

/** Evaluates the polynomial by Horner's rule. */
export function evaluate(coefficients: readonly bigint[], x: bigint): bigint {
  return coefficients.reduceRight((sum, coefficient) => reduce(sum * x + coefficient), 0n)
}
