import { systemClock, type WorkerClock } from './workers/worker.ts'

/** Lets uploads and downloads of users go before work in the background that uses the same disk and thread. */
export type UserPriority = {
  /** Notes that bytes of an upload are written, or bytes of a download are sent. */
  noteTransfer(): void
  /** Begins a task in the background, such as one transfer to a provider. */
  begin(): BackgroundTask
}

/** One task in the background. */
export type BackgroundTask = {
  /**
   * Called before each step. Waits while users transfer bytes, at most as long as the task itself took so far.
   * @throws the signal's reason
   */
  giveWay(signal: AbortSignal): Promise<void>
}

/** Time after a note in which the same transfer is expected to go on, such as an upload with its next slab or the end of a sync. */
const quietMs = 500
/** Time after which the wait is checked again. */
const pauseMs = 25
/** The time of day may be set back, which would make a wait longer. */
const steadyClock: WorkerClock = { now: () => performance.now(), sleep: systemClock.sleep }
/** Longest wait without any work in between, below the limits of clients for a silent connection. */
const maxCreditMs = 5_000

/**
 * Steady transfers leave background work half of the time, so that deals keep up; short ones have the machine for
 * themselves.
 */
export function createUserPriority(clock: WorkerClock = steadyClock): UserPriority {
  let lastNote = Number.NEGATIVE_INFINITY
  return {
    noteTransfer() {
      lastNote = clock.now()
    },
    begin() {
      let creditMs = maxCreditMs
      let workingSince = clock.now()
      return {
        async giveWay(signal) {
          creditMs = Math.min(maxCreditMs, creditMs + clock.now() - workingSince)
          while (creditMs > 0 && clock.now() - lastNote < quietMs) {
            const from = clock.now()
            await clock.sleep(pauseMs, signal)
            signal.throwIfAborted()
            creditMs -= clock.now() - from
          }
          workingSince = clock.now()
        },
      }
    },
  }
}
