import { setTimeout as delay } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import { ConflictError } from './conflict-error.ts'

/** Attempts of one unit of work, including the first. */
const maxTries = 5
const firstPauseMs = 5

/**
 * Retries `attempt` after a {@link ConflictError}, with growing, random pauses.
 * @throws CairnError CONFLICT after the last attempt
 */
export async function runAgain<T>(attempt: () => Promise<T>, tries = maxTries): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      if (count >= tries) throw new CairnError('CONFLICT', { cause: error })
      // Grows up to a quarter of a second; random, so that two units in conflict do not meet again.
      await delay(Math.random() * Math.min(250, firstPauseMs * 2 ** count))
    }
  }
}
