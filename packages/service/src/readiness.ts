import { CairnError } from '@cairn/protocol'
import type { FastifyBaseLogger } from 'fastify'

/** Whether the service takes requests, and why not. */
export type Readiness = {
  /** Says no from now on: the service is about to end. */
  drain(): void
  readonly isDraining: boolean
  /** The parts and their state. @throws CairnError UNAVAILABLE with the part that does not answer */
  check(): Promise<Record<string, string>>
}

/** Watches the parts that requests need: each probe resolves while its part works. */
export function createReadiness(
  probes: Readonly<Record<string, () => Promise<unknown>>>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Readiness {
  let draining = false
  return {
    drain() {
      draining = true
    },
    get isDraining() {
      return draining
    },
    async check() {
      if (draining) throw new CairnError('UNAVAILABLE', { message: 'The service is about to end' })
      const parts: Record<string, string> = {}
      const failed: string[] = []
      const probe = async ([name, work]: [string, () => Promise<unknown>]) => {
        try {
          await work()
          parts[name] = 'ok'
        } catch (error) {
          log.warn({ err: error, part: name }, 'a part does not answer')
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
