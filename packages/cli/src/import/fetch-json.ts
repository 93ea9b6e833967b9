import { setTimeout as pause } from 'node:timers/promises'
import { CairnError } from '@cairn/sdk'
import * as v from 'valibot'

const timeoutMs = 60_000
const maxTries = 4
const firstPauseMs = 1000
const maxPauseMs = 60_000

/**
 * Fetches a page of a service's list, and retries while the service is busy.
 * @throws CairnError UNAUTHENTICATED, UPSTREAM_FAILED (with the host), ABORTED
 */
export async function fetchJson<T>(
  url: URL,
  token: string,
  schema: v.GenericSchema<unknown, T>,
  signal: AbortSignal,
): Promise<T> {
  const { host } = url
  const failed = (what: string, cause?: unknown) =>
    new CairnError('UPSTREAM_FAILED', { message: `${host} ${what}`, details: { host }, cause })
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      // The key is for this host only.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((cause: unknown) => {
      throw signal.aborted ? new CairnError('ABORTED') : failed('could not be reached', cause)
    })
    if (response.status === 200) {
      const json: unknown = await response.json().catch((cause: unknown) => {
        throw failed('did not send JSON', cause)
      })
      const parsed = v.safeParse(schema, json)
      if (parsed.success) return parsed.output
      throw failed(`sent a list without a valid "${v.getDotPath(parsed.issues[0]) ?? ''}"`)
    }
    await response.body?.cancel()
    if (response.status === 401 || response.status === 403) {
      throw new CairnError('UNAUTHENTICATED', {
        message: `${host} rejected the key`,
        hint: 'Check the key and its scopes.',
      })
    }
    const isBusy = response.status === 429 || response.status >= 500
    if (!isBusy || tries === maxTries) throw failed(`returned status ${response.status}`)
    const afterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    const pauseMs = Number.isNaN(afterSeconds) ? firstPauseMs * 2 ** tries : afterSeconds * 1000
    await pause(Math.min(pauseMs, maxPauseMs), undefined, { signal })
  }
}
