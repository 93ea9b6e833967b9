import type { Dependencies, LogGate, RateLimiter } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { AskContract } from './accounts/find-signed.ts'
import type { StorageConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { StorageMetrics } from './metrics.ts'
import type { ObjectStore } from './objects/objects.ts'
import type { PackStore } from './packs/packs.ts'
import type { PartMemory } from './uploads/uploads.ts'

/** Where the time comes from: milliseconds since 1970. Tests give their own. */
export type Clock = { now(): number }

/** What every capability works with. There is no other state. */
export type Context = {
  readonly config: StorageConfig
  readonly db: Database
  readonly packs: PackStore
  /** Where packs lie, and what belongs to them. */
  readonly objects: ObjectStore
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs failures in the background that may come again and again. */
  readonly failures: LogGate
  /** Chains, price feeds and storage providers: what readiness and metrics tell of them. */
  readonly dependencies: Dependencies
  readonly metrics: StorageMetrics
  readonly rates: RateLimiter
  /** Asks contract wallets what they accept; undefined if no chain is configured. */
  readonly askContract: AskContract | undefined
  /** Memory for the parts of uploads. */
  readonly partMemory: PartMemory
  /** Secret of the service: what is kept for others is sealed with keys derived from it. */
  readonly secret: Uint8Array
  /** Names this process in reservations and leases. */
  readonly processId: string
}
