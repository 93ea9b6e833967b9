import { readRetryAfter } from '@cairn/protocol'
import { pause } from '../request.ts'

/** Maximum time in ms that an endpoint may ask to wait for. */
const maxAskedPauseMs = 5_000

/**
 * Returns a fetch that ends with a signal, too: an endpoint that does not answer would delay the abort by its time limit. It also
 * waits as an endpoint asks, for which viem has neither a limit nor a signal.
 */
export function fetchUntil(signal: AbortSignal | undefined): typeof fetch {
  return async (input, init) => {
    const signals = [signal, init?.signal].filter((one) => one instanceof AbortSignal)
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
    const asked = response.headers.get('retry-after')
    if (asked === null) return response
    const pauseMs = (readRetryAfter(asked) ?? 0) * 1000
    if (pauseMs > 0 && pauseMs <= maxAskedPauseMs) await pause(pauseMs, signal)
    const headers = new Headers(response.headers)
    headers.delete('retry-after')
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
  }
}
