import { CairnError, type KeyShard, keyShardThreshold } from '@cairn/protocol'
import { invert, parseShard, reduce, writeScalar } from './group-order.ts'

/** A point of a polynomial. */
export type Point = { x: bigint; y: bigint }

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
  if (!areConsistent(points, threshold))
    throw new CairnError('KEY_NOT_RECOVERED', { message: "can't recover Key: the shards belong to different keys" })
  const secret = interpolate(points.slice(0, threshold), 0n)
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
  // The terms are added as fractions, because an inversion takes longer than all else.
  let sum = 0n
  let denominator = 1n
  for (const point of points) {
    let term = point.y * denominator
    for (const other of points) {
      if (other === point) continue
      const distance = point.x - other.x
      term = reduce(term * (at - other.x))
      sum = reduce(sum * distance)
      denominator = reduce(denominator * distance)
    }
    sum += term
  }
  // Only indexes determine the number inverted, and so the time that it takes.
  return reduce(sum * invert(denominator))
}
