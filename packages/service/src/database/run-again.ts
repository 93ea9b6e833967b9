import { setTimeout as delay } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import { ConflictError } from './conflict-error.ts'

/** Tries of one unit of work, the first included. */
const triesMost = 5
const firstPauseMs = 5

/**
 * Runs `attempt` again after a {@link ConflictError}, with growing, random pauses.
 * @throws CairnError CONFLICT after the last try.
 */
export async function runAgain<T>(attempt: () => Promise<T>, tries = triesMost): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      if (count >= tries) throw new CairnError('CONFLICT', { cause: error })
      // Growing up to a quarter of a second; random, so that two that met once do not meet again.
      await delay(Math.random() * Math.min(250, firstPauseMs * 2 ** count))
    }
  }
}
