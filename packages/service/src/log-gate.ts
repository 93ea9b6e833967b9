import type { FastifyBaseLogger } from 'fastify'
import { describeFailure } from './describe-failure.ts'

/** Logging of a persistent failure: the first immediately, then one line per minute with the number of omitted ones. */
export type LogGate = {
  /**
   * Reports a failure.
   * @param key what failed; failures of one key share their lines. From the configuration or a fixed list, never from a
   *   user
   * @param message the same for each failure of a key
   */
  failed(key: string, error: unknown, message: string, details?: Record<string, unknown>): void
  /** Reports a recovery. Logs it once, if a failure was logged before. */
  recovered(key: string, message: string, details?: Record<string, unknown>): void
}

export type GateLog = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

const repeatMs = 60_000
/** Far more than a configuration names; evicts the oldest beyond it. */
const maxKeys = 1_000

type Entry = { loggedAt: number; leftOut: number; isOpen: boolean }

/**
 * Keeps a repeated failure from filling the log. An expected failure is one line at level warn, without a stack; an
 * unexpected one is an error with its stack, at the same rate.
 */
export function createLogGate({ clock, log }: { clock: { now(): number }; log: GateLog }): LogGate {
  const entries = new Map<string, Entry>()
  return {
    failed(key, error, message, details = {}) {
      const now = clock.now()
      const before = entries.get(key)
      // A clock that was set back must not silence a failure.
      if (before !== undefined && now >= before.loggedAt && now - before.loggedAt < repeatMs) {
        before.leftOut++
        return
      }
      entries.delete(key)
      const [oldest] = entries.keys()
      if (entries.size >= maxKeys && oldest !== undefined) entries.delete(oldest)
      entries.set(key, { loggedAt: now, leftOut: 0, isOpen: true })
      const leftOut = before === undefined || before.leftOut === 0 ? {} : { leftOut: before.leftOut }
      const reason = describeFailure(error)
      if (reason === undefined) log.error({ ...details, ...leftOut, err: error }, message)
      else log.warn({ ...details, ...leftOut, reason }, message)
    },
    recovered(key, message, details = {}) {
      const entry = entries.get(key)
      if (entry === undefined || !entry.isOpen) return
      // The entry stays: a flapping dependency logs two lines per minute, not two per change.
      entry.isOpen = false
      log.info({ ...details, ...(entry.leftOut === 0 ? {} : { leftOut: entry.leftOut }) }, message)
      entry.leftOut = 0
    },
  }
}
