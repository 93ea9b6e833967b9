import type { LogGate, RateLimiter } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { ProviderConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { ProviderKeys } from './identity.ts'
import type { ProviderMetrics } from './metrics.ts'
import type { HashThread } from './pieces/hash-thread-client.ts'
import type { KeyedLock } from './pieces/keyed-lock.ts'
import type { PieceFiles } from './pieces/piece-files.ts'
import type { PullTable } from './pieces/pull-table.ts'

/** Where the time comes from: milliseconds since 1970. Tests give their own. */
export type Clock = { now(): number }

/** What every part of a provider works with. There is no other state. */
export type Context = {
  readonly config: ProviderConfig
  readonly keys: ProviderKeys
  /** Id of the provider: its public key. */
  readonly id: string
  readonly db: Database
  readonly files: PieceFiles
  readonly hashes: HashThread
  /** Whoever changes the files of a piece has its lock. */
  readonly locks: KeyedLock
  /** The pieces that are being fetched at this moment. */
  readonly pulling: PullTable
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs failures in the background that may come again and again. */
  readonly failures: LogGate
  readonly metrics: ProviderMetrics
  readonly rates: RateLimiter
}
