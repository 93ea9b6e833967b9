import { setTimeout as delay } from 'node:timers/promises'

/** A loop in the background. `run` resolves when the signal fires and nothing is under way any more. */
export type Worker = { readonly name: string; run(signal: AbortSignal): Promise<void> }

/** Time for workers: ms since 1970, and waiting, which ends early without an error when the signal fires. */
export type WorkerClock = { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> }

/** The time of the machine. */
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
 * Does `work` again and again with pauses of `intervalMs`, the first time at once. A round that fails is reported and the
 * next one comes in its time.
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
