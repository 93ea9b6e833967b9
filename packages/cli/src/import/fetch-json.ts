import { CairnError } from '@cairn/sdk'
import * as v from 'valibot'
import { readBody } from './read-body.ts'
import { retryRequest } from './retry.ts'

const timeoutMs = 60_000
/** Maximum size of a page of a list, in bytes: 1,000 rows with names of the longest kind. */
const maxPageBytes = 16 * 1024 * 1024

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
  const broken = (cause: unknown) => {
    throw signal.aborted ? new CairnError('ABORTED') : failed('could not be reached, or closed the connection', cause)
  }
  const response = await retryRequest(signal, () =>
    fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      // The key is for this host only.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
  ).catch(broken)
  const { status, body } = response
  if (status !== 200 || body === null) {
    await body?.cancel()
    if (status === 401 || status === 403) {
      throw new CairnError('UNAUTHENTICATED', {
        message: `${host} rejected the key`,
        hint: 'Check the key and its scopes.',
      })
    }
    throw failed(`returned status ${status}`)
  }
  const bytes = await readBody(body, maxPageBytes).catch(broken)
  if (bytes === undefined) throw failed(`sent a list of more than ${maxPageBytes} bytes`)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), bytes.toString())
  if (parsed.success) return parsed.output
  const path = v.getDotPath(parsed.issues[0])
  throw failed(path === null ? 'did not send a list in JSON' : `sent a list without a valid "${path}"`)
}
