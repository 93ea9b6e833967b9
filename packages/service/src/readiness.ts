import { CairnError } from '@cairn/protocol'
import type { Dependencies, DependencyReport } from './dependencies.ts'
import { createLogGate, type GateLog } from './log-gate.ts'

/** What the caller needs: `reads` may come from caches, and need no database that accepts writes. `all` includes uploads. */
export type ReadinessPurpose = 'reads' | 'all'

/** Whether the service accepts requests, and the reason if it does not. */
export type Readiness = {
  /** Reports draining from now on: the service is about to shut down. Requests are still accepted. */
  drain(): void
  readonly isDraining: boolean
  /** Accepts no further requests, including on open connections. */
  stop(): void
  readonly isStopping: boolean
  /**
   * Returns the parts and their state.
   * @param purpose `reads`: only the parts without which nothing can be read. Defaults to `all`
   * @throws CairnError UNAVAILABLE with the part that does not answer
   */
  check(purpose?: ReadinessPurpose): Promise<Record<string, string>>
  /** Returns the external dependencies. A failed one makes the service degraded, never unready. */
  dependencies(): DependencyReport[]
}

/**
 * Checks the parts that requests need: each probe resolves while its part works.
 * @param cached names of the parts without which reads may still be served from caches
 */
export function createReadiness(
  probes: Readonly<Record<string, (purpose: ReadinessPurpose) => Promise<unknown>>>,
  log: GateLog,
  dependencies?: Pick<Dependencies, 'report'>,
  cached: readonly string[] = [],
): Readiness {
  const gate = createLogGate({ clock: { now: () => Date.now() }, log })
  let draining = false
  let stopping = false
  return {
    dependencies: () => dependencies?.report() ?? [],
    drain() {
      draining = true
    },
    get isDraining() {
      return draining
    },
    stop() {
      draining = true
      stopping = true
    },
    get isStopping() {
      return stopping
    },
    async check(purpose = 'all') {
      if (draining) throw new CairnError('UNAVAILABLE', { message: 'The service is shutting down' })
      const parts: Record<string, string> = {}
      const failed: string[] = []
      const probe = async ([name, work]: [string, (purpose: ReadinessPurpose) => Promise<unknown>]) => {
        try {
          await work(purpose)
          parts[name] = 'ok'
          gate.recovered(`${name} for ${purpose}`, 'component available again', { part: name, for: purpose })
        } catch (error) {
          gate.failed(`${name} for ${purpose}`, error, 'component unavailable', { part: name, for: purpose })
          parts[name] = 'failed'
          failed.push(name)
        }
      }
      const needed = Object.entries(probes).filter(([name]) => purpose === 'all' || !cached.includes(name))
      await Promise.all(needed.map(probe))
      if (failed.length > 0) {
        throw new CairnError('UNAVAILABLE', {
          message: `Not ready: ${failed.join(', ')}`,
          details: { parts },
          retryAfterSeconds: 5,
        })
      }
      return parts
    },
  }
}
