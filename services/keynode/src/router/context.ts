import type { LogGate, Metrics, RateLimiter } from '@cairn/service'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../context.ts'
import type { IssuedTexts } from '../sessions/issued-texts.ts'
import type { NodeTarget } from './ask-node.ts'
import type { KeyRouterConfig } from './config.ts'
import type { SignatureUses } from './signature-uses.ts'

/** What the router works with. It keeps nothing that would have to outlive it, and is trusted with nothing. */
export type RouterContext = {
  readonly config: KeyRouterConfig
  /** The key nodes, in order. */
  readonly nodes: readonly NodeTarget[]
  /** Host that messages to sign name. */
  readonly domain: () => string
  /** Texts given out to be signed. */
  readonly issued: IssuedTexts
  /** What signatures that are bearers are being used for. */
  readonly uses: SignatureUses
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** Logs failures that may come again and again. */
  readonly failures: LogGate
  readonly metrics: Metrics
  readonly rates: RateLimiter
}
