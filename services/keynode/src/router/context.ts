import type { LogGate, Metrics, RateLimiter } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../context.ts'
import type { IssuedTexts } from '../sessions/issued-texts.ts'
import type { KeyRouterConfig } from './config.ts'
import type { NodeTarget } from './node-client.ts'
import type { SignatureUses } from './signature-uses.ts'

/** Dependencies of the router. It has no persistent state, and no trust is placed in it. */
export type RouterContext = {
  readonly config: KeyRouterConfig
  /** The key nodes, in order. */
  readonly nodes: readonly NodeTarget[]
  /** Host named in messages to sign. */
  readonly domain: () => string
  /** Texts issued for signing. */
  readonly issued: IssuedTexts
  /** Uses of signatures that are bearers. */
  readonly uses: SignatureUses
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs failures that may repeat. */
  readonly failures: LogGate
  readonly metrics: Metrics
  readonly rates: RateLimiter
}
