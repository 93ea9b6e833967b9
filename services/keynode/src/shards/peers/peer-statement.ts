import { shardSetSchema } from '@cairn/protocol'
import * as v from 'valibot'
import type { Peer } from '../../config.ts'

/** A node's statement about a file for its peers. */
export const statementSchema = v.object({
  cid: v.string(),
  owner: v.string(),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  digest: v.string(),
  state: v.picklist(['provisional', 'held', 'retired']),
  setId: v.string(),
  shardSet: v.nullable(shardSetSchema),
  /** Sets that wait to come into force, newest first. */
  pendingSetIds: v.pipe(v.array(v.string()), v.maxLength(16)),
  sharedTo: v.array(v.string()),
  conditions: v.nullable(v.string()),
  successor: v.nullable(v.string()),
})
export type Statement = v.InferOutput<typeof statementSchema>

/** The statement of one peer. */
export type PeerStatement = Statement & { node: number }

/** Queries what other nodes hold. */
export type PeerClient = {
  /**
   * Returns a peer's statement about a file, `nothing` when it holds none, or `unconfirmed` when it restored it from a
   * backup and does not know its present state.
   * @throws CairnError UPSTREAM_FAILED if the answer is not a valid one of that peer; what `sendRequest` throws if it
   * does not answer
   */
  ask(peer: Peer, cid: string): Promise<Statement | 'nothing' | 'unconfirmed'>
}
