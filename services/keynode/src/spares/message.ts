import { maxSpareFiles, shardSetSchema, spareSchema } from '@cairn/protocol'
import * as v from 'valibot'

const offerSchema = v.object({
  /** Id of the set that is replaced. */
  setId: v.string(),
  /** The spare set. */
  set: shardSetSchema,
  /** The sender's part of the receiver's shard; absent on a node that replaced another. */
  part: v.optional(spareSchema.entries.parts.item),
  /** Whether the sender has its own shard of the spare set. */
  isHeld: v.boolean(),
})

/** The facts about a file in a message between nodes. */
const fileSchema = v.object({
  cid: v.string(),
  /** Id of the set in force; absent when the sender has no confirmed record. */
  inForce: v.optional(v.string()),
  offer: v.optional(offerSchema),
})

/** A message between two nodes about spare shards, encrypted for its receiver and signed by its sender. */
export const messageSchema = v.object({
  /** Number of the receiver. */
  to: v.number(),
  files: v.array(fileSchema),
  /** The files that take part, after the requested one. */
  listed: v.optional(v.object({ cids: v.pipe(v.array(v.string()), v.maxLength(maxSpareFiles)), hasMore: v.boolean() })),
})

export type SpareFile = v.InferOutput<typeof fileSchema>
export type SpareMessage = v.InferOutput<typeof messageSchema>
