import type { Context } from '../context.ts'
import { type Pass, replaceShards } from './replace-shards.ts'

/** Pause between two looks at the operator's decision: one row. */
const idleMs = 5_000
/** Pause after a pass that did something: the peers may have done their next step. */
const soonMs = 1_000
/** Pause after a pass that left nothing to do: the peers may list files that this node lacks. */
const doneMs = 60_000
/** Longest pause after passes that did nothing, such as while a peer is offline. */
const maxPauseMs = 15 * 60_000

/** Replaces shards in the background while the operator asks for it. Disposing ends the running pass. */
export function startReplacing(context: Context): AsyncDisposable {
  const ending = new AbortController()
  let pauseMs = idleMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = Promise.resolve()
  const run = async (): Promise<void> => {
    try {
      const pass = await replaceShards(context, ending.signal)
      if (pass !== undefined && pass.steps > 0) context.log.info(pass, 'shards replaced')
      pauseMs = pauseAfter(pass, pauseMs)
    } catch (error) {
      context.failures.failed('spares', error, 'failed to replace shards')
      pauseMs = doneMs
    }
    schedule()
  }
  const schedule = () => {
    if (ending.signal.aborted) return
    timer = setTimeout(() => {
      running = run()
    }, pauseMs)
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
  if (pass === undefined) return idleMs
  if (pass.steps > 0) return soonMs
  return pass.left === 0 ? doneMs : Math.min(maxPauseMs, Math.max(idleMs, before * 2))
}
