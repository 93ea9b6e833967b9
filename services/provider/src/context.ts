import type { KeyedMutex, LogGate, RateLimiter, Traces } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { ProviderConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { ProviderKeys } from './identity.ts'
import type { ProviderMetrics } from './metrics.ts'
import type { HashThread } from './pieces/hash-thread-client.ts'
import type { PieceFiles } from './pieces/piece-files.ts'
import type { PullTable } from './pieces/pull-table.ts'

/** A clock in milliseconds since 1970. Tests pass their own. */
export type Clock = { now(): number }

/** Dependencies of every part of a provider. There is no other state. */
export type Context = {
  readonly config: ProviderConfig
  readonly keys: ProviderKeys
  /** Id of the provider: its public key. */
  readonly id: string
  readonly db: Database
  readonly files: PieceFiles
  readonly hashes: HashThread
  /** Changes to the files of a piece require its lock: the folder belongs to one process. */
  readonly locks: KeyedMutex
  /** Pieces that are currently being fetched. */
  readonly pulling: PullTable
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs background failures that may repeat. */
  readonly failures: LogGate
  readonly metrics: ProviderMetrics
  /** Absent when traces are off. */
  readonly traces?: Traces | undefined
  readonly rates: RateLimiter
}
