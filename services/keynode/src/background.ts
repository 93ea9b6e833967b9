import { createSettledClock } from '@cairn/service'
import type { Context } from './context.ts'
import { sweepSessions } from './sessions/sweep.ts'
import { createKeySweep } from './shards/sweep.ts'
import { startReplacing } from './spares/replacing.ts'

const sweepEveryMs = 60_000

/** Starts the background work of a node: it removes what has expired, settles records, replaces shards. Disposing ends it. */
export function startBackground(context: Context): AsyncDisposable {
  const replacing = startReplacing(context)
  const ending = new AbortController()
  const sweepKeys = createKeySweep(context, createSettledClock(context.clock))
  let sweeping = Promise.resolve()
  const sweep = () => {
    sweeping = sweeping
      .then(() => sweepSessions(context))
      .then(() => context.accesses.sweep())
      .then(() => sweepKeys(ending.signal))
      .catch((error: unknown) => context.failures.failed('sweep', error, 'sweeping failed'))
  }
  const timer = setInterval(sweep, sweepEveryMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      ending.abort()
      await sweeping
      await replacing[Symbol.asyncDispose]()
    },
  }
}
