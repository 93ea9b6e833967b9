import { CairnError } from '@cairn/protocol'
import type { Dependencies, DependencyReport } from './dependencies.ts'
import { createLogGate, type GateLog } from './log-gate.ts'

/** Whether the service takes requests, and why not. */
export type Readiness = {
  /** Says no from now on: the service is about to end. Requests are still taken. */
  drain(): void
  readonly isDraining: boolean
  /** Takes no further requests, on connections that are open neither. */
  stop(): void
  readonly isStopping: boolean
  /** The parts and their state. @throws CairnError UNAVAILABLE with the part that does not answer */
  check(): Promise<Record<string, string>>
  /** What it works with outside of the process. One that fails makes the service degraded, never unready. */
  dependencies(): DependencyReport[]
}

/** Watches the parts that requests need: each probe resolves while its part works. */
export function createReadiness(
  probes: Readonly<Record<string, () => Promise<unknown>>>,
  log: GateLog,
  dependencies?: Pick<Dependencies, 'report'>,
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
    async check() {
      if (draining) throw new CairnError('UNAVAILABLE', { message: 'The service is about to end' })
      const parts: Record<string, string> = {}
      const failed: string[] = []
      const probe = async ([name, work]: [string, () => Promise<unknown>]) => {
        try {
          await work()
          parts[name] = 'ok'
          gate.recovered(name, 'a part answers again', { part: name })
        } catch (error) {
          gate.failed(name, error, 'a part does not answer', { part: name })
          parts[name] = 'failed'
          failed.push(name)
        }
      }
      await Promise.all(Object.entries(probes).map(probe))
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
