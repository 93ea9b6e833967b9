import type { Context } from '../context.ts'
import { findConsent } from './consent.ts'
import { type Pass, replaceShards } from './replace-shards.ts'

/** Interval between reads of the operator's decision, which is one row. */
const lookMs = 5_000
/** Pause after a pass that changed something, because peers may have completed their next step. */
const soonMs = 1_000
/** Pause after a pass that left nothing to do, because peers may list files that this node lacks. */
const doneMs = 60_000
/** Longest pause after passes that changed nothing, such as while a peer is offline. */
const maxPauseMs = 5 * 60_000

/** Replaces shards in the background while the operator asks for it. Disposing ends the running pass. */
export function startReplacing(context: Context): AsyncDisposable {
  const ending = new AbortController()
  /** The decision of the last pass: another one is acted on at once. */
  let decided: number | undefined
  let pauseMs = lookMs
  let waitedMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = Promise.resolve()
  const run = async (): Promise<void> => {
    try {
      const until = await findConsent(context.db.read)
      if (until === decided && (until === undefined || waitedMs < pauseMs)) return
      if (until !== decided) pauseMs = lookMs
      decided = until
      const pass = await replaceShards(context, ending.signal)
      if (pass !== undefined && pass.steps > 0) context.log.info(pass, 'shards replaced')
      pauseMs = pauseAfter(pass, pauseMs)
    } catch (error) {
      context.failures.failed('spares', error, 'failed to replace shards')
      pauseMs = doneMs
    }
    waitedMs = 0
  }
  const schedule = (): void => {
    if (ending.signal.aborted) return
    const waitMs = Math.min(pauseMs, lookMs)
    timer = setTimeout(() => {
      waitedMs += waitMs
      running = run().then(schedule)
    }, waitMs)
    // Requests keep the process alive.
    timer.unref()
  }
  schedule()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      clearTimeout(timer)
      await running
    },
  }
}

function pauseAfter(pass: Pass | undefined, before: number): number {
  if (pass === undefined) return lookMs
  if (pass.steps > 0) return soonMs
  return pass.left === 0 ? doneMs : Math.min(maxPauseMs, Math.max(lookMs, before * 2))
}
