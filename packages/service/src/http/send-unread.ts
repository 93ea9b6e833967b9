import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasUnreadBody, lingeringBody } from './connections/linger.ts'
import { withholdContinue } from './expect-continue.ts'

type UnreadOptions = {
  /** Whether a short rest of the body may be awaited. Defaults to true. */
  awaitsRest?: boolean
  /**
   * Reads the body to its end. Required for a success: many clients read a response only when they have sent all, and would fail if
   * the connection closed before.
   */
  readRest?: () => Promise<void>
}

/** Sends a text although the body of the request may be unread. A short rest of it is read, so that the connection stays open. */
export function sendUnread(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  { awaitsRest = true, readRest }: UnreadOptions = {},
): FastifyReply {
  // A sender that waits for 100 need not send any.
  const isWaiting = withholdContinue(request.raw)
  const isWorthReading = awaitsRest && !isWaiting && !hasUnreadBody(request.raw)
  if (request.raw.complete || isWorthReading) return reply.send(text)
  // An unread body would be parsed as the next request.
  return reply
    .headers({ connection: 'close', 'content-length': Buffer.byteLength(text) })
    .send(lingeringBody(text, request.raw, isWaiting ? undefined : readRest?.()))
}
