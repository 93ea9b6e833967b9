import { CairnError } from '@cairn/protocol'
import type { FastifyReply } from 'fastify'
import type { RateState } from './rate-limits.ts'

/**
 * Sends the rate of a call to its caller, who can slow down before a request is refused: its name and size, the remaining tokens,
 * and the seconds until all of them are available again.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function stateRate(
  reply: FastifyReply,
  callId: string,
  { perMinute, remaining, fullInSeconds }: RateState,
): void {
  reply.header('ratelimit-policy', `"${callId}";q=${Math.floor(perMinute)};w=60`)
  reply.header('ratelimit', `"${callId}";r=${remaining};t=${fullInSeconds}`)
}

/** States the rate that refused a request. Other errors have none. */
export function stateRefusal(reply: FastifyReply, callId: string, error: unknown): void {
  if (!CairnError.is(error, 'RATE_LIMITED') || error.details.perMinute === undefined) return
  stateRate(reply, callId, {
    perMinute: error.details.perMinute,
    remaining: 0,
    fullInSeconds: error.retryAfterSeconds ?? 60,
  })
}
