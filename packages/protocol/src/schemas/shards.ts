import * as v from 'valibot'
import { keyShardCount } from '../limits.ts'

const hex32 = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex characters'),
  v.transform((text: string) => text.toLowerCase()),
)

/** One of the five shards of a key: a point of its polynomial, both coordinates as 32 bytes big-endian in hex. */
export type KeyShard = { key: string; index: string }

/**
 * A shard on the wire: text, no longer than a scalar. Nodes store it unchanged: they compute nothing with it, and the
 * tests of published clients store texts that are not scalars.
 */
export const shardPayloadSchema = v.object({
  key: v.pipe(v.string(), v.nonEmpty(), v.maxLength(128)),
  index: v.pipe(v.string(), v.nonEmpty(), v.maxLength(128)),
})

/**
 * Commitments of a set of shards: a SHA-256 commitment to each shard, in the order of the nodes, and the hash over all
 * of them as the id of the set.
 */
export const shardSetSchema = v.object({
  id: hex32,
  commitments: v.pipe(v.array(hex32), v.length(keyShardCount)),
  threshold: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(keyShardCount)),
})

export type ShardSet = v.InferOutput<typeof shardSetSchema>

const scalarPart = v.object({ key: hex32, index: hex32 })

/**
 * The part of a spare set that one node receives: a part of each of its five shards, in the order of the nodes. A spare set is
 * another set of the same key that no node has. The parts of any three nodes give a node its spare shard, those of two reveal
 * nothing: so a key survives the replacement of a node without its owner.
 */
export const spareSchema = v.object({
  set: shardSetSchema,
  parts: v.pipe(v.array(scalarPart), v.length(keyShardCount)),
})

export type Spare = v.InferOutput<typeof spareSchema>

/** One node's part of the spare shard of another, as nodes send it to each other. */
export const sparePartSchema = /* @__PURE__ */ (() =>
  v.object({ cid: v.string(), setId: hex32, set: shardSetSchema, part: scalarPart }))()

export type SparePart = v.InferOutput<typeof sparePartSchema>
