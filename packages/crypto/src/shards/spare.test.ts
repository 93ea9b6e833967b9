import type { KeyShard } from '@cairn/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitsCommitment, isWholeSet } from './commit.ts'
import { order, writeScalar } from './group-order.ts'
import { recoverKey } from './recover.ts'
import { dealSpare, recoverSpareShard } from './spare.ts'
import { generateKey } from './split.ts'

const nodes = [1, 2, 3, 4, 5]
const { masterKey } = generateKey()

/** The parts that some nodes send for another. */
function partsFor(target: number, from: readonly number[], dealt = dealSpare(masterKey)) {
  return {
    set: dealt[0]?.set ?? { id: '', commitments: [], threshold: 0 },
    parts: from.map((node) => ({ node, part: dealt[node - 1]?.parts[target - 1] as KeyShard })),
  }
}

test('any three nodes restore the spare shard of a node, and three spare shards are the key', () => {
  const dealt = dealSpare(masterKey)
  const shards = nodes.map((node) => {
    const found = [[1, 2, 3], [5, 3, 1], [2, 4, 5], nodes].map((from) => {
      const { set, parts } = partsFor(node, from, dealt)
      expect(isWholeSet(set)).toBe(true)
      const recovered = recoverSpareShard(set, node, parts)
      expect(recovered?.wrongNodes).toEqual([])
      expect(fitsCommitment(set, node, recovered?.shard)).toBe(true)
      return recovered?.shard
    })
    expect(new Set(found.map((shard) => JSON.stringify(shard))).size).toBe(1)
    return found[0] as KeyShard
  })
  expect(recoverKey(shards)).toBe(masterKey)
  expect(recoverKey(shards.slice(2))).toBe(masterKey)
})

test('two nodes restore none, because their parts fit every shard', () => {
  const { set, parts } = partsFor(3, [2, 5])
  expect(recoverSpareShard(set, 3, parts)).toBeUndefined()
  expect(recoverSpareShard(set, 3, [...parts, parts[0] as (typeof parts)[0]])).toBeUndefined()
  // For any shard, exactly one part of a third node makes the two known parts consistent with it, so the two exclude
  // no shard.
  const [a, b] = parts.map(({ node, part }) => ({ x: BigInt(node), y: BigInt(`0x${part.key}`) }))
  if (a === undefined || b === undefined) throw new Error('two parts')
  const thirds = new Set([0n, 1n, order - 1n].map((secret) => third({ x: 0n, y: secret }, a, b)))
  expect(thirds.size).toBe(3)
})

/** The value at 1 of the polynomial through three points. */
function third(...points: { x: bigint; y: bigint }[]): bigint {
  const mod = (value: bigint) => ((value % order) + order) % order
  const inverse = (value: bigint) => {
    let [result, base] = [1n, mod(value)]
    for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
      if (exponent & 1n) result = mod(result * base)
      base = mod(base * base)
    }
    return result
  }
  return mod(
    points.reduce((sum, { x, y }) => {
      const others = points.filter((other) => other.x !== x)
      const weight = others.reduce((product, other) => mod(product * (1n - other.x) * inverse(x - other.x)), 1n)
      return sum + y * weight
    }, 0n),
  )
}

test('two wrong parts of five are found, whatever they are', () => {
  const hex = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(writeScalar)
  const wrong = fc.record({ key: hex, index: hex })
  const pair = fc.shuffledSubarray(nodes, { minLength: 2, maxLength: 2 })
  fc.assert(
    fc.property(pair, wrong, wrong, fc.constantFrom(...nodes), (liars, one, other, target) => {
      const { set, parts } = partsFor(target, nodes)
      const given = parts.map((each) => {
        if (each.node === liars[0]) return { ...each, part: one }
        return each.node === liars[1] ? { ...each, part: other } : each
      })
      const recovered = recoverSpareShard(set, target, given)
      expect(recovered?.wrongNodes).toEqual([...liars].sort())
      expect(fitsCommitment(set, target, recovered?.shard)).toBe(true)
    }),
    { numRuns: 20 },
  )
})

test('ignores a part under a foreign number, and one for another node', () => {
  const dealt = dealSpare(masterKey)
  const { set, parts } = partsFor(1, [1, 2, 3], dealt)
  expect(
    recoverSpareShard(
      set,
      1,
      parts.map((each) => ({ ...each, node: each.node + 1 })),
    ),
  ).toBeUndefined()
  expect(recoverSpareShard(set, 2, parts)).toBeUndefined()
  expect(
    recoverSpareShard(
      set,
      1,
      parts.map((each) => ({ ...each, node: 0 })),
    ),
  ).toBeUndefined()
})
