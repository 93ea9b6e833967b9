import type { Authorize, Dependencies, LogGate, Metrics, RateLimiter, Traces } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { Conditions } from './conditions/evaluate.ts'
import type { KeyNodeConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { NodeKeys } from './identity.ts'
import type { IssuedTexts } from './sessions/issued-texts.ts'
import type { NodeContractVerifier } from './sessions/verify-contract.ts'
import type { AccessLog } from './shards/access/access-log.ts'
import type { PeerClient } from './shards/peers/peer-statement.ts'

/** A clock in milliseconds since 1970. Tests pass their own. */
export type Clock = { now(): number }

/** Dependencies of every capability of a key node. There is no other state. */
export type Context = {
  readonly config: KeyNodeConfig
  readonly keys: NodeKeys
  readonly db: Database
  /** When this node was last restored from a backup, in ms; 0 if never. Challenges from before may have been spent. */
  readonly restoredAt: number
  /** Client for the other nodes. */
  readonly peers: PeerClient
  readonly conditions: Conditions
  readonly verifyContract: NodeContractVerifier
  /** Who opened files, or was refused. */
  readonly accesses: AccessLog
  /** Texts that this node issued for signing. */
  readonly issued: IssuedTexts
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs background failures that may repeat. */
  readonly failures: LogGate
  /** Chain endpoints and the other nodes, as shown by readiness and metrics. */
  readonly dependencies: Dependencies
  readonly metrics: Metrics
  /** Absent when traces are off. */
  readonly traces?: Traces | undefined
  readonly rates: RateLimiter
  /** Authenticates a call with its body, because the body is part of the signed text. */
  readonly authorize: Authorize<Caller>
}

/** The caller, as this node determined it. */
export type Caller = {
  /** The normalised address; for a peer, `node:` and its number. */
  readonly address: string
  /**
   * Id of the challenge that opened the session: the same on all nodes, so it ties the five calls of a change
   * together.
   */
  readonly challengeId: string
  /** Session this call belongs to. */
  readonly sessionId: string
  /** Whether each request was signed by the session's own key. */
  readonly isBound: boolean
  /** Number of the calling peer, if it is one. */
  readonly peer: number | undefined
  /** The proof of the request, if it is marked as used in the commit of the change that it allows. */
  readonly proof?: UsedProof | undefined
}

/** A proof that is valid once, until the time in ms. */
export type UsedProof = {
  readonly id: string
  readonly expiresAt: number
  isMarked: boolean
  /** Marks it as used, unless the change has done so. @throws CairnError INVALID_SIGNATURE when it was used before */
  mark(): Promise<void>
}
