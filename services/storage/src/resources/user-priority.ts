import { systemClock, type WorkerClock } from '../workers/worker.ts'

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

/** Time after a transfer in which it is expected to continue, such as an upload with its next slab or the end of a sync. */
const quietMs = 500
/** Interval between checks while a task waits. */
const pauseMs = 25
/** A monotonic clock: if the time of day were set back, a wait would be longer. */
const steadyClock: WorkerClock = { now: () => performance.now(), sleep: systemClock.sleep }
/** Maximum wait without any work in between, below the limits of clients for a silent connection. */
const maxCreditMs = 5_000

/**
 * Leaves background work half of the time during steady transfers, so that deals keep up, and gives short transfers the whole
 * machine.
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
