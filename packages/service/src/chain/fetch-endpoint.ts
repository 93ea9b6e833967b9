import { CairnError, conditionReason, type Reason, reasonFactsOf } from '@cairn/protocol'
import { AnswerTooLargeError } from '../http/outgoing/answer-too-large.ts'
import { sendRequest } from '../http/outgoing/send-request.ts'
import { type Json, parseJson } from './json.ts'

/** One request to an endpoint: a POST if it has a body. */
export type EndpointRequest = { path: string; body?: string; headers: Record<string, string> }

/** Response of an endpoint with JSON: any status except those about rates and authorisation. */
export type EndpointAnswer = { status: number; body: Json; sizeBytes: number }

export function failed(details: Reason, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return new CairnError('UPSTREAM_FAILED', { message: details.reason, details, cause })
}

/** Returns why a chain could not be read, of an error that {@link failed} made. */
export function reasonOfChain(error: CairnError): Reason {
  return { reason: error.message, reasonFacts: reasonFactsOf(error) }
}

export function failedStatus(status: number, cause?: unknown): CairnError<'UPSTREAM_FAILED'> {
  return failed(conditionReason('CHAIN_STATUS', { status: String(status) }), cause)
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

/**
 * Sends one request to an endpoint.
 * @throws UPSTREAM_FAILED for statuses, PAYLOAD_TOO_LARGE for sizes; the errors of the request, the decoder and the
 *   JSON parser
 */
export async function fetchEndpoint(
  base: string,
  request: EndpointRequest,
  signal: AbortSignal,
  maxBytes: number,
): Promise<EndpointAnswer> {
  const { status, body } = await sendRequest(joinPath(base, request.path), {
    method: request.body === undefined ? 'GET' : 'POST',
    headers: { accept: 'application/json', ...request.headers },
    body: request.body,
    signal,
    maxAnswerBytes: maxBytes,
  }).catch((error: unknown) => {
    if (!(error instanceof AnswerTooLargeError)) throw error
    throw new CairnError('PAYLOAD_TOO_LARGE', {
      message: conditionReason('CHAIN_RESPONSE_TOO_LARGE').reason,
      details: { limitBytes: maxBytes },
      cause: error,
    })
  })
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  if ([401, 403, 407, 408, 429].includes(status)) throw failedStatus(status)
  try {
    return { status, body: parseJson(text), sizeBytes: body.length }
  } catch (error) {
    throw status >= 200 && status < 300 ? error : failedStatus(status, error)
  }
}
