import { CairnError } from '@cairn/protocol'
import { type Json, parseJson } from './json.ts'

/** One request to an endpoint: a POST where it has a body. */
export type EndpointRequest = { path: string; body?: string; headers: Record<string, string> }

/** What an endpoint answered: 2xx; for GET also 4xx that is about the question (not about rates or rights). */
export type EndpointAnswer = { status: number; body: Json }

export function failed(reason: string, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return new CairnError('UPSTREAM_FAILED', { message: reason, cause })
}

/** Joins a path to an endpoint's URL, which may have a path and a query of its own (keys of providers). */
function joinPath(base: string, path: string): URL {
  const url = new URL(base)
  if (path === '') return url
  const [pathname = '', query] = path.split('?')
  url.pathname = url.pathname.replace(/\/$/, '') + pathname
  if (query !== undefined) url.search = url.search === '' ? query : `${url.search}&${query}`
  return url
}

async function readText(response: Response, bytesMost: number): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let sizeBytes = 0
  // Leaving the loop early cancels the body.
  for await (const piece of response.body) {
    sizeBytes += piece.byteLength
    if (sizeBytes > bytesMost)
      throw new CairnError('PAYLOAD_TOO_LARGE', { message: 'the answer of the chain is too large' })
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * Asks an endpoint once. Redirects are refused: they would lead to hosts that nobody configured.
 *
 * @throws UPSTREAM_FAILED for statuses, PAYLOAD_TOO_LARGE for sizes; what fetch, the decoder and the JSON parser throw
 */
export async function askEndpoint(
  base: string,
  request: EndpointRequest,
  signal: AbortSignal,
  bytesMost: number,
): Promise<EndpointAnswer> {
  const response = await fetch(joinPath(base, request.path), {
    method: request.body === undefined ? 'GET' : 'POST',
    headers: { accept: 'application/json', ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
    redirect: 'error',
    signal,
  })
  const text = await readText(response, bytesMost)
  const isRest = request.body === undefined
  const { status } = response
  if (!response.ok && (!isRest || status < 400 || status >= 500 || [401, 403, 407, 408, 429].includes(status))) {
    throw failed(`the chain answered with status ${status}`)
  }
  return { status, body: parseJson(text) }
}
