import type { ContractCheck } from '@cairn/crypto'
import type { Authorize, Dependencies, LogGate, RateLimiter, SharedRates, Traces } from '@cairn/service'
import type { ObjectStore } from '@cairn/service/objects'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Caller } from './caller.ts'
import type { StorageConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { Schema } from './db/schema.ts'
import type { Egress } from './egress/types.ts'
import type { StorageMetrics } from './metrics.ts'
import type { Denylist } from './moderation/types.ts'
import type { PackStore } from './packs/types.ts'
import type { PartMemory } from './resources/part-memory.ts'
import type { UserPriority } from './resources/user-priority.ts'

/** A clock in milliseconds since 1970. Tests pass their own. */
export type Clock = { now(): number }

/** Finds the text that a contract wallet accepts a signature of. @throws CairnError UPSTREAM_FAILED, RATE_LIMITED */
export type QueryContract = (question: ContractCheck) => Promise<string | undefined>

/** How a caller can pay for missing storage on one chain, with prices of stablecoins in their smallest units. */
export type PaymentOffer = {
  network: string
  chainId: number
  contract: string
  native: string
  tokens: Record<string, string>
}

/** Dependencies of every capability. There is no other state. */
export type Context = {
  readonly config: StorageConfig
  readonly db: Database
  readonly packs: PackStore
  /** The content that the operator does not serve. */
  readonly denylist: Denylist
  /** Storage of packs and related objects. */
  readonly objects: ObjectStore
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs background failures that may repeat. */
  readonly failures: LogGate
  /** Chains, price feeds and storage providers, as shown by readiness and metrics. */
  readonly dependencies: Dependencies
  readonly metrics: StorageMetrics
  /** Absent when traces are off. */
  readonly traces?: Traces | undefined
  readonly rates: RateLimiter
  /** Rates over all replicas; undefined on SQLite, whose service is one process. */
  readonly sharedRates?: SharedRates | undefined
  /** Queries contract wallets; undefined if no chain is configured. */
  readonly queryContract: QueryContract | undefined
  /** Finds the caller of a call before its body is read. */
  readonly authorize: Authorize<Caller>
  /** Lists how to pay for `missingBytes`; empty if the service takes no payments. */
  readonly describeHowToPay: (db: Kysely<Schema>, missingBytes: number) => Promise<PaymentOffer[]>
  /** URLs of the network's key nodes; empty if it has none. */
  readonly keyNodeUrls: readonly string[]
  /** Counts what the gateway sends. */
  readonly egress: Egress
  /** Memory for the parts of uploads. */
  readonly partMemory: PartMemory
  /** Lets uploads and downloads go before transfers to providers. */
  readonly userPriority: UserPriority
  /** Secret of the service: data stored for users is sealed with keys derived from it. */
  readonly secret: Uint8Array
  /** Opens what was sealed with another secret, while one replaces the other. */
  readonly secondarySecret: Uint8Array | undefined
  /** Identifies this process in reservations and leases. */
  readonly processId: string
}
