import { setTimeout as delay } from 'node:timers/promises'
import type { WatchedPart } from './watched-part.ts'

export type WatchOptions = {
  /** Pause in ms between two probes of a service. Defaults to 10 s. */
  everyMs?: number
  /** Time limit of a probe in ms. Defaults to 5 s. */
  limitMs?: number
  /** Pause in ms before a failed probe is retried. Defaults to 1 s. */
  retryMs?: number
  /** Prints one line. */
  print(line: string): void
}

/** Consecutive failures before a line is printed: a single one only shows a busy machine. */
const failuresBeforeLine = 2

/**
 * Probes each service regularly. Prints one line when a service does not answer, with what to do, and one when it
 * recovers. Disposing stops it.
 */
export function watchParts(parts: readonly WatchedPart[], options: WatchOptions): AsyncDisposable {
  const stop = new AbortController()
  const running = Promise.all(parts.map((part) => watch(part, options, stop.signal)))
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

async function watch(
  part: WatchedPart,
  { everyMs = 10_000, limitMs = 5_000, retryMs = 1_000, print }: WatchOptions,
  stop: AbortSignal,
): Promise<void> {
  let failures = 0
  let failedAt = 0
  while (!stop.aborted) {
    const began = performance.now()
    const reason = await probe(part, limitMs, stop)
    if (stop.aborted) return
    if (reason === undefined) {
      if (failures >= failuresBeforeLine) {
        print(`${part.name} is available again after ${Math.round((began - failedAt) / 1000)} s.`)
      }
      failures = 0
    } else {
      if (failures === 0) failedAt = began
      failures++
      if (failures === failuresBeforeLine) {
        print(
          `${part.name} does not respond at ${part.url} (${reason}). ${part.effect} If this lasts, restart the network: press Ctrl-C, then run npm start.`,
        )
      }
    }
    const isUnsure = failures > 0 && failures < failuresBeforeLine
    await delay(isUnsure ? retryMs : everyMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

/** Returns the reason why a service does not answer; undefined if it does. */
async function probe(part: WatchedPart, limitMs: number, stop: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.timeout(limitMs)
  try {
    await part.probe(AbortSignal.any([limit, stop]))
    return undefined
  } catch (error) {
    if (limit.aborted) return `no response within ${limitMs / 1000} s`
    return describe(error)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
  if (isRefused) return 'connection refused, its process has exited'
  return cause instanceof Error ? cause.message || error.message : error.message
}
