import { CairnError } from '@cairn/protocol'
import { logFailure } from '@cairn/service'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, type SendOptions, sendAnswer } from './send-answer.ts'

/**
 * Sends an answer with the headers that a reply has already, as {@link sendAnswer} does: Fastify would keep a stream's
 * pieces in a queue of its own. A failure after the headers is logged; the connection is closed by then.
 * @throws what the body throws before anything was sent
 */
export async function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  options?: SendOptions,
): Promise<FastifyReply> {
  const headers = { ...answer.headers }
  for (const [name, value] of Object.entries(reply.getHeaders())) headers[name] ??= String(value)
  try {
    await sendAnswer(reply.raw, { ...answer, headers }, options)
  } catch (error) {
    if (!reply.raw.headersSent) throw error
    logFailure(request, request.server.cairnFailures, CairnError.from(error), error)
  }
  return reply.hijack()
}
