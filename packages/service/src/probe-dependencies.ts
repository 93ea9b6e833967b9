import { setTimeout as delay } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import type { Dependency } from './dependencies.ts'

/** A dependency, and how it is asked whether it works. */
export type DependencyProbe = {
  dependency: Dependency
  /** Resolves if it works. */
  probe(signal: AbortSignal): Promise<unknown>
}

/** How probing is timed, in ms. */
export type ProbeTimes = {
  /** What was asked within this time, by whomever, is not asked again. */
  everyMs: number
  /** The same for what failed. */
  retryMs: number
  timeoutMs: number
}

export const probeTimes: ProbeTimes = { everyMs: 60_000, retryMs: 5_000, timeoutMs: 10_000 }

/**
 * Asks what nobody asked lately, so that a failure shows before a user meets it. Disposing ends it.
 * @param probes each is asked on its own: a slow one delays no other
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
    // Parts of a network start side by side: one that nobody reached yet may not listen yet.
    let mayBeStarting = true
    while (!signal.aborted) {
      const idleMs = dependency.askedAt === undefined ? pauseMs : clock.now() - dependency.askedAt
      // A clock that was set back leaves a time to come behind it.
      if (idleMs >= pauseMs || idleMs < 0) {
        mayBeStarting &&= dependency.askedAt === undefined
        const failure = await ask(probe)
        pauseMs = failure === undefined ? times.everyMs : times.retryMs
        if (failure === undefined) dependency.succeeded()
        // A process that ends says nothing about others.
        else if (!mayBeStarting && !signal.aborted) dependency.failed(failure.error)
        mayBeStarting = false
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const ask = async (probe: DependencyProbe['probe']): Promise<{ error: unknown } | undefined> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(times.timeoutMs)])
    const { promise: late, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(new CairnError('UPSTREAM_FAILED', { message: 'It gave no answer in time' }))
    limit.addEventListener('abort', onAbort, { once: true })
    try {
      // Not all that is asked heeds the signal: nothing waits for it any longer.
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
