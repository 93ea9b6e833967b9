import type { NetworkProfile } from '@cairn/protocol'
import type { Readiness } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { StorageConfig } from './config.ts'
import type { Context } from './context.ts'
import type { Worker, WorkerClock } from './workers/worker.ts'

/** The parts of the service that a front uses. */
export type FrontParts = {
  context: Context
  readiness: Readiness
  /** Number of public listeners of the process, which share what it may open. */
  publicListeners: number
  /** Fires when running requests must be aborted. */
  stop: AbortSignal
}

/**
 * An HTTP front next to API and gateway: the same content and accounts through another protocol, on a port of its own. Its folder
 * is a room like any other; `fronts.ts` lists it.
 */
export type Front = {
  /** The setting of its port, for the message when that is taken. */
  readonly portSetting: string
  /** Its port, 0 for a free one; undefined when the operator does not serve it. */
  port(config: StorageConfig): number | undefined
  createApp(parts: FrontParts): FastifyInstance
  /** Its part of the network profile, which tells clients where it is. */
  describe(config: StorageConfig, url: string): Partial<NetworkProfile>
  /** Registers its calls at the API, served or not. */
  registerCalls(api: FastifyInstance, context: Context, profile: () => NetworkProfile): void
  /** Its background work. Runs even if the front is not served, so that what it stored is maintained. */
  createWorkers(context: Context, clock: WorkerClock): Worker[]
}
