import { setTimeout as delay } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import type { Dependency } from './dependencies.ts'

/** A dependency with its probe. */
export type DependencyProbe = {
  dependency: Dependency
  /** Resolves if the dependency works. */
  probe(signal: AbortSignal): Promise<unknown>
}

/** Intervals of probing, in ms. */
export type ProbeTimes = {
  /** A dependency used within this time, by any caller, is not probed. */
  everyMs: number
  /** The same after a failure. */
  retryMs: number
  timeoutMs: number
}

export const probeTimes: ProbeTimes = { everyMs: 60_000, retryMs: 5_000, timeoutMs: 10_000 }

/**
 * Probes idle dependencies, so that a failure shows before a user meets it. Disposing stops it.
 * @param probes each runs independently: a slow one delays no other
 */
export function probeDependencies(
  probes: readonly DependencyProbe[],
  clock: { now(): number },
  times: ProbeTimes = probeTimes,
): AsyncDisposable {
  const ending = new AbortController()
  const { signal } = ending
  const watch = async ({ dependency, probe }: DependencyProbe): Promise<void> => {
    let pauseMs = times.everyMs
    // Services of a network start concurrently: one that never answered may not listen yet.
    let mayBeStarting = true
    while (!signal.aborted) {
      const idleMs = dependency.askedAt === undefined ? pauseMs : clock.now() - dependency.askedAt
      // A clock that was set back makes the last time lie in the future.
      if (idleMs >= pauseMs || idleMs < 0) {
        mayBeStarting &&= dependency.askedAt === undefined
        const failure = await runProbe(probe)
        pauseMs = failure === undefined ? times.everyMs : times.retryMs
        if (failure === undefined) dependency.succeeded()
        // A process that shuts down does not report others.
        else if (!mayBeStarting && !signal.aborted) dependency.failed(failure.error)
        mayBeStarting = false
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const runProbe = async (probe: DependencyProbe['probe']): Promise<{ error: unknown } | undefined> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(times.timeoutMs)])
    const { promise: late, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(new CairnError('UPSTREAM_FAILED', { message: 'It did not respond in time' }))
    limit.addEventListener('abort', onAbort, { once: true })
    try {
      // Some probes ignore the signal, so nothing waits for them after the limit.
      await Promise.race([probe(limit), late])
      return undefined
    } catch (error) {
      return { error }
    } finally {
      limit.removeEventListener('abort', onAbort)
    }
  }
  const watching = Promise.all(probes.map(watch))
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await watching
    },
  }
}
