import type { Dependencies, LogGate, Metrics, RateLimiter } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { Conditions } from './conditions/evaluate.ts'
import type { KeyNodeConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { NodeKeys } from './identity.ts'
import type { IssuedTexts } from './sessions/issued-texts.ts'
import type { NodeContractVerifier } from './sessions/verify-contract.ts'
import type { PeerClient } from './shards/peer-client.ts'

/** Where the time comes from: milliseconds since 1970. Tests give their own. */
export type Clock = { now(): number }

/** What every capability of a key node works with. There is no other state. */
export type Context = {
  readonly config: KeyNodeConfig
  readonly keys: NodeKeys
  readonly db: Database
  /** The way to the other nodes. */
  readonly peers: PeerClient
  readonly conditions: Conditions
  readonly verifyContract: NodeContractVerifier
  /** Texts that this node itself gave out to be signed. */
  readonly issued: IssuedTexts
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs failures in the background that may come again and again. */
  readonly failures: LogGate
  /** Endpoints of chains and the other nodes: what readiness and metrics tell of them. */
  readonly dependencies: Dependencies
  readonly metrics: Metrics
  readonly rates: RateLimiter
}

/** Who makes a call, as the node found out by itself. */
export type Caller = {
  /** The normalised address; of a peer's call, `node:` and its number. */
  readonly address: string
  /** Names the challenge the session was opened with: equal on all nodes, so it ties the five calls of a change together. */
  readonly challengeId: string
  /** Session this call belongs to. */
  readonly sessionId: string
  /** Whether each request was signed by the session's own key. */
  readonly isBound: boolean
  /** Number of the peer that calls, where it is one. */
  readonly peer: number | undefined
}
