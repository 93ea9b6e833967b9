import { CairnError } from '@cairn/protocol'
import { type Json, parseJson } from './json.ts'

/** One request to an endpoint: a POST if it has a body. */
export type EndpointRequest = { path: string; body?: string; headers: Record<string, string> }

/** Response of an endpoint with JSON: any status except those about rates and authorisation. */
export type EndpointAnswer = { status: number; body: Json; sizeBytes: number }

export function failed(reason: string, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return new CairnError('UPSTREAM_FAILED', { message: reason, cause })
}

export function failedStatus(status: number, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return failed(`the chain returned status ${status}`, cause)
}

/** Joins a path to the URL of an endpoint, which may have a path and a query (keys of providers). */
function joinPath(base: string, path: string): URL {
  const url = new URL(base)
  if (path === '') return url
  const [pathname = '', query] = path.split('?')
  url.pathname = url.pathname.replace(/\/$/, '') + pathname
  if (query !== undefined) url.search = url.search === '' ? query : `${url.search}&${query}`
  return url
}

async function readText(response: Response, maxBytes: number): Promise<{ text: string; sizeBytes: number }> {
  if (response.body === null) return { text: '', sizeBytes: 0 }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let sizeBytes = 0
  // Leaving the loop early cancels the body.
  for await (const piece of response.body) {
    sizeBytes += piece.byteLength
    if (sizeBytes > maxBytes)
      throw new CairnError('PAYLOAD_TOO_LARGE', { message: 'the response of the chain is too large' })
    text += decoder.decode(piece, { stream: true })
  }
  return { text: text + decoder.decode(), sizeBytes }
}

/**
 * Sends one request to an endpoint. Rejects redirects, which would lead to hosts outside the configuration.
 * @throws UPSTREAM_FAILED for statuses, PAYLOAD_TOO_LARGE for sizes; the errors of fetch, the decoder and the JSON
 *   parser
 */
export async function fetchEndpoint(
  base: string,
  request: EndpointRequest,
  signal: AbortSignal,
  maxBytes: number,
): Promise<EndpointAnswer> {
  const response = await fetch(joinPath(base, request.path), {
    method: request.body === undefined ? 'GET' : 'POST',
    headers: { accept: 'application/json', ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
    redirect: 'error',
    signal,
  })
  const { status } = response
  const { text, sizeBytes } = await readText(response, maxBytes)
  if ([401, 403, 407, 408, 429].includes(status)) throw failedStatus(status)
  try {
    return { status, body: parseJson(text), sizeBytes }
  } catch (error) {
    throw response.ok ? error : failedStatus(status, error)
  }
}
