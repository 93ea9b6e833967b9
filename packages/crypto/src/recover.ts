import { CairnError, type KeyShard, keyShardThreshold } from '@cairn/protocol'
import { invert, parseShard, reduce, writeScalar } from './group-order.ts'

type Point = { x: bigint; y: bigint }

/**
 * Recovers a key from its shards: the value at zero of the polynomial through them, by Lagrange. Checks consistency
 * only with more than `threshold` shards; with exactly `threshold` it cannot detect shards of different keys. For
 * untrusted shards, use `findKey`.
 * @throws CairnError INVALID_SHARD (not shards at all), KEY_NOT_RECOVERED (too few, one index twice, inconsistent)
 */
export function recoverKey(shards: readonly KeyShard[], threshold = keyShardThreshold): string {
  if (!Array.isArray(shards)) throw new CairnError('INVALID_SHARD')
  const points = shards.map(parseShard)
  const twice = points.find(({ x }, i) => points.findIndex((other) => other.x === x) !== i)
  if (twice !== undefined) {
    throw new CairnError('KEY_NOT_RECOVERED', {
      message: `can't recover Key: the index ${writeScalar(twice.x).slice(0, 8)}… appears twice`,
    })
  }
  if (points.length < Math.max(2, threshold)) throw new CairnError('KEY_NOT_RECOVERED')
  const base = points.slice(0, threshold)
  if (points.slice(threshold).some(({ x, y }) => interpolate(base, x) !== y))
    throw new CairnError('KEY_NOT_RECOVERED', { message: "can't recover Key: the shards belong to different keys" })
  const secret = interpolate(base, 0n)
  if (secret === 0n) throw new CairnError('KEY_NOT_RECOVERED')
  return writeScalar(secret)
}

/** Returns whether points lie on one polynomial that `threshold` of them determine. */
export function areConsistent(points: readonly Point[], threshold: number): boolean {
  const base = points.slice(0, threshold)
  return points.slice(threshold).every(({ x, y }) => interpolate(base, x) === y)
}

/** Returns the value at `at` of the polynomial through points of distinct x. */
export function interpolate(points: readonly Point[], at: bigint): bigint {
  let sum = 0n
  for (const [i, { x, y }] of points.entries()) {
    let numerator = y
    let denominator = 1n
    for (const [j, other] of points.entries()) {
      if (i === j) continue
      numerator = reduce(numerator * (at - other.x))
      denominator = reduce(denominator * (x - other.x))
    }
    sum = reduce(sum + numerator * invert(denominator))
  }
  return sum
}
