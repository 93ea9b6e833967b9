import type { ServerResponse } from 'node:http'
import { CairnError } from '@cairn/protocol'
import { type AddressSlots, type LogGate, logFailure } from '@cairn/service'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { linkQuery } from '../gateway-links/gateway-links.ts'
import { sendAnswer } from '../http/send-answer.ts'
import { type Answer, answerRequest, type Gateway } from './gateway.ts'
import { toGatewayError } from './open-path.ts'
import { type HostSettings, readTarget } from './requests/gateway-host.ts'
import { readRequest } from './requests/read-request.ts'
import { everyAnswer } from './security-headers.ts'
import { sendError } from './send-error.ts'
import { RedirectsFileError } from './serving/redirects-file.ts'

/** What all requests to a gateway share. */
export type Handling = {
  hosts: HostSettings
  slots: AddressSlots
  failures: LogGate
  /** Called before each piece of an answer that follows the first. */
  onMore: () => void
}

/** One request and its reply. */
export type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  /** Called with what names the root of the answer, before it is sent. */
  onRoot: (rootMultihash: Uint8Array | undefined) => void
}

/** Answers a request, with an error if need be. Returns the answer, if it was sent completely. */
export async function handleRequest(
  gateway: Gateway,
  { hosts, slots, failures, onMore }: Handling,
  { request, reply, onRoot }: Exchange,
): Promise<Answer | undefined> {
  const response = reply.raw
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort(new CairnError('ABORTED'))
  })
  try {
    if (request.raw.method === 'OPTIONS') {
      response.writeHead(204, { ...everyAnswer, 'access-control-max-age': '86400' }).end()
      return undefined
    }
    const answer = withCommonHeaders(await answerRequest(gateway, readRequest(hosts, request, left.signal)))
    // Reported before it is sent, so that the bytes count even if the client breaks off.
    onRoot(answer.root)
    await sendWithin({ slots, onMore }, request.ip, response, answer)
    return answer
  } catch (error) {
    const failure = toGatewayError(error)
    // Damage is reported even when the client is gone: it usually cut the client's own answer.
    // A site with a bad file would otherwise fill the log with what its visitors see.
    const isOfSite = failure.cause instanceof RedirectsFileError
    if (failure.code === 'DATA_DAMAGED' || (!left.signal.aborted && !isOfSite)) {
      logFailure(request, failures, failure, error, {
        url: withoutSignature(request.originalUrl).slice(0, 300),
        details: failure.details,
      })
    }
    if (left.signal.aborted) return undefined
    sendError(request, reply, failure)
    return undefined
  }
}

/** Returns a URL as logs may contain it: a signature is all that a link needs. */
function withoutSignature(url: string): string {
  const { path, search } = readTarget(url)
  const query = new URLSearchParams(search)
  if (!query.has(linkQuery.signature)) return url
  query.set(linkQuery.signature, 'redacted')
  return `${path}?${query}`
}

/** Sends an answer, a streamed one only within the stream limits. @throws CairnError OVERLOADED */
async function sendWithin(
  { slots, onMore }: Pick<Handling, 'slots' | 'onMore'>,
  address: string,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const release = typeof answer.body === 'function' ? slots.acquire(address) : () => undefined
  if (release === undefined) throw new CairnError('OVERLOADED', { retryAfterSeconds: 2 })
  try {
    await sendAnswer(response, answer, { onMore })
  } finally {
    release()
  }
}

function withCommonHeaders(answer: Answer): Answer {
  return { ...answer, headers: { ...everyAnswer, ...answer.headers } }
}
