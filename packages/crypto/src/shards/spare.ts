import { type KeyShard, keyShardCount, keyShardThreshold, type ShardSet, type Spare } from '@cairn/protocol'
import { commitShards, fitsCommitment } from './commit.ts'
import { order, parseShard, randomScalar, writeScalar, writeShard } from './group-order.ts'
import { interpolate } from './recover.ts'
import { evaluate, splitKey } from './split.ts'

/** A part of one shard, as a node keeps it: both coordinates split, under the number of the node. */
export type SparePartOfNode = { node: number; part: KeyShard }

/**
 * Deals a spare set of a key: new shards of the same key, each of which is split once more by Shamir's scheme, so that
 * no node has any. Three nodes together give a node its shard; two learn nothing about the shards, and nothing about
 * the key beyond their own shards of the set in force.
 * @param masterKey 64 hex characters, a number from 1 to the order less one
 * @returns what each node receives, in the order of the nodes
 * @throws CairnError KEY_NOT_SHARDABLE
 */
export function dealSpare(masterKey: string): Spare[] {
  const shards = splitKey(masterKey)
  const set = commitShards(shards)
  const polynomials = shards.map((shard) => {
    const { x, y } = parseShard(shard)
    return { index: hide(x), key: hide(y) }
  })
  return shards.map((_, i) => {
    const at = BigInt(i + 1)
    return { set, parts: polynomials.map(({ index, key }) => writeShard(evaluate(index, at), evaluate(key, at))) }
  })
}

/** Returns a random polynomial with this constant. */
function hide(secret: bigint): bigint[] {
  return [secret, ...Array.from({ length: keyShardThreshold - 1 }, randomScalar)]
}

/**
 * Recovers the spare shard of one node from the parts of at least three. The commitment of the owner decides which
 * parts are right, so wrong ones are found.
 * @returns the shard, and the nodes whose part does not belong to it; undefined without three right parts
 */
export function recoverSpareShard(
  set: ShardSet,
  node: number,
  parts: readonly SparePartOfNode[],
): { shard: KeyShard; wrongNodes: number[] } | undefined {
  const known = parts.flatMap(({ node: from, part }) => {
    const key = readPart(part.key)
    const index = readPart(part.index)
    const isNode = Number.isInteger(from) && from >= 1 && from <= keyShardCount
    return key === undefined || index === undefined || !isNode ? [] : [{ from, x: BigInt(from), key, index }]
  })
  const distinct = known.filter(({ from }, i) => known.findIndex((other) => other.from === from) === i)
  for (const [a, first] of distinct.entries()) {
    for (const [b, second] of distinct.slice(a + 1).entries()) {
      for (const third of distinct.slice(a + b + 2)) {
        const chosen = [first, second, third]
        const at = (x: bigint, coordinate: 'key' | 'index') =>
          interpolate(
            chosen.map((one) => ({ x: one.x, y: one[coordinate] })),
            x,
          )
        const shard = { key: writeScalar(at(0n, 'key')), index: writeScalar(at(0n, 'index')) }
        if (!fitsCommitment(set, node, shard)) continue
        const isRight = (from: number) =>
          distinct.some((one) => one.from === from && at(one.x, 'key') === one.key && at(one.x, 'index') === one.index)
        return { shard, wrongNodes: parts.map((one) => one.node).filter((from) => !isRight(from)) }
      }
    }
  }
  return undefined
}

function readPart(text: string): bigint | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined
  const value = BigInt(`0x${text}`)
  return value < order ? value : undefined
}
