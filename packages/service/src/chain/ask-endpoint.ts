import { CairnError } from '@cairn/protocol'
import { type Json, parseJson } from './json.ts'

/** One request to an endpoint: a POST where it has a body. */
export type EndpointRequest = { path: string; body?: string; headers: Record<string, string> }

/** What an endpoint answered: any status but those about rates and rights, with JSON. */
export type EndpointAnswer = { status: number; body: Json; sizeBytes: number }

export function failed(reason: string, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return new CairnError('UPSTREAM_FAILED', { message: reason, cause })
}

export function failedStatus(status: number, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return failed(`the chain answered with status ${status}`, cause)
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

async function readText(response: Response, bytesMost: number): Promise<{ text: string; sizeBytes: number }> {
  if (response.body === null) return { text: '', sizeBytes: 0 }
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
  return { text: text + decoder.decode(), sizeBytes }
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
  const { status } = response
  const { text, sizeBytes } = await readText(response, bytesMost)
  if ([401, 403, 407, 408, 429].includes(status)) throw failedStatus(status)
  try {
    return { status, body: parseJson(text), sizeBytes }
  } catch (error) {
    throw response.ok ? error : failedStatus(status, error)
  }
}
