import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'

/** Whether the service takes requests, and why not. */
export type Readiness = {
  /** Says no from now on: the service is about to end. */
  drain(): void
  readonly isDraining: boolean
  /** The parts and their state. @throws CairnError UNAVAILABLE with the part that does not answer */
  check(): Promise<Record<string, string>>
}

/** Watches the parts that requests need. `probeObjects` resolves when the object store can be written. */
export function createReadiness(context: Context, probeObjects: () => Promise<void>): Readiness {
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
      const probe = async (name: string, work: Promise<unknown>) => {
        try {
          await work
          parts[name] = 'ok'
        } catch (error) {
          context.log.warn({ err: error, part: name }, 'a part does not answer')
          parts[name] = 'failed'
          failed.push(name)
        }
      }
      await Promise.all([probe('database', context.db.ping()), probe('objects', probeObjects())])
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
