import { setTimeout as pause } from 'node:timers/promises'
import { CairnError } from '@cairn/sdk'

const maxTries = 3
const firstPauseSeconds = 1
/** However long a server asks for: a timer of more than 24 days would fire at once. */
const maxPauseSeconds = 60

/** Repeats a transfer that failed for a reason that may pass. */
export async function retryTransfer<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const mayRetry = CairnError.is(error) && error.retry && error.code !== 'ABORTED'
      if (!mayRetry || tries === maxTries || signal.aborted) throw error
      const seconds = error.retryAfterSeconds ?? firstPauseSeconds * 2 ** tries
      await pause(Math.min(seconds, maxPauseSeconds) * 1000, undefined, { signal })
    }
  }
}
