import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../db/database.ts'

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

/**
 * As {@link createLoop}, for work that rows of this process mostly cause: the pause is `intervalMs` while this process
 * commits units of work, and otherwise `idleMs`, which limits how long rows of other processes and work that is due later
 * wait. `wake` ends a long pause.
 */
export function createWakefulLoop(
  name: string,
  { db, intervalMs, idleMs }: { db: Pick<Database, 'onCommit'>; intervalMs: number; idleMs: number },
  clock: WorkerClock,
  work: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Worker & { wake(): void } {
  let isWoken = false
  let longPause: AbortController | undefined
  const wake = (): void => {
    isWoken = true
    longPause?.abort()
    // Each abort creates an error with a stack, and an upload commits before the loop runs again.
    longPause = undefined
  }
  const pauses: WorkerClock = {
    now: clock.now,
    async sleep(ms, signal) {
      await clock.sleep(intervalMs, signal)
      if (isWoken || signal.aborted) return
      longPause = new AbortController()
      await clock.sleep(ms - intervalMs, AbortSignal.any([signal, longPause.signal]))
    },
  }
  const round = (signal: AbortSignal): Promise<void> => {
    isWoken = false
    return work(signal)
  }
  const loop = createLoop(name, idleMs, pauses, round, onError)
  return {
    name,
    wake,
    async run(signal) {
      const stopListening = db.onCommit(wake)
      try {
        await loop.run(signal)
      } finally {
        stopListening()
      }
    },
  }
}
