import { setTimeout as pause } from 'node:timers/promises'
import { CairnError } from '@cairn/sdk'

const maxTries = 4
const firstPauseSeconds = 1
/** Limits the pause that a server requests: a timer of more than 24 days would fire at once. */
const maxPauseSeconds = 60

/** Repeats a transfer that failed for a reason that may pass. */
export async function retryTransfer<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const mayRetry = CairnError.is(error) && error.retry && error.code !== 'ABORTED'
      if (!mayRetry || tries === maxTries || signal.aborted) throw error
      await pauseAfter(tries, error.retryAfterSeconds, signal)
    }
  }
}

/** Waits. Tests pass their own. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>
const pauseFor: Pause = (ms, signal) => pause(ms, undefined, { signal })

/** Repeats a request while the server is busy or fails. Returns its last response, whatever the status. */
export async function retryRequest(
  signal: AbortSignal,
  attempt: () => Promise<Response>,
  wait = pauseFor,
): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await attempt()
    const { status } = response
    // 501 does not pass: the server does not know this request.
    const isBusy = status === 429 || (status >= 500 && status !== 501)
    if (!isBusy || tries === maxTries) return response
    await response.body?.cancel()
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    await pauseAfter(tries, Number.isNaN(seconds) ? undefined : seconds, signal, wait)
  }
}

async function pauseAfter(
  tries: number,
  askedSeconds: number | undefined,
  signal: AbortSignal,
  wait = pauseFor,
): Promise<void> {
  const seconds = askedSeconds ?? firstPauseSeconds * 2 ** (tries - 1)
  await wait(Math.min(seconds, maxPauseSeconds) * 1000, signal)
}
