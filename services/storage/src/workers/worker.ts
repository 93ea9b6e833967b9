import { setTimeout as delay } from 'node:timers/promises'

/** A loop in the background. `run` resolves after the signal has fired and no work is in progress. */
export type Worker = { readonly name: string; run(signal: AbortSignal): Promise<void> }

/** Clock of workers: ms since 1970, and a sleep that ends early without an error when the signal fires. */
export type WorkerClock = { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> }

/** The clock of the machine. */
export const systemClock: WorkerClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
}

/**
 * Runs `work` repeatedly with pauses of `intervalMs`, the first time immediately. A failed round is reported and the
 * next one follows on schedule.
 */
export function createLoop(
  name: string,
  intervalMs: number,
  clock: WorkerClock,
  work: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Worker {
  return {
    name,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await work(signal)
        } catch (error) {
          if (!signal.aborted) onError(error)
        }
        await clock.sleep(intervalMs, signal)
      }
    },
  }
}
