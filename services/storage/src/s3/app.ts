import { CairnError, requestIdHeader } from '@cairn/protocol'
import {
  createAddressSlots,
  createServiceApp,
  logFailure,
  matchAddresses,
  rateLimitKey,
  whenClosed,
} from '@cairn/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { FrontParts } from '../front.ts'
import { describeError } from '../http/route.ts'
import type { Answer } from '../http/send-answer.ts'
import { sendReply } from '../http/send-reply.ts'
import { readSteadily } from '../uploads/uploads.ts'
import { findS3Credential, type S3Credential } from './access/credentials.ts'
import { createDigestThread, type DigestThread } from './checksums/digest-thread-client.ts'
import { isForm, postObject } from './forms/post-operation.ts'
import { findOperation } from './operations.ts'
import type { S3Call } from './s3-call.ts'
import { encodeS3Error, s3Error } from './s3-error.ts'
import { readS3Request, type S3Request } from './s3-request.ts'
import { corsHeaders, readCorsRules } from './settings/cors.ts'
import { verifyRequest } from './signature/verify-request.ts'
import { selectBucket } from './store.ts'

/** Rate limits per address before the signature is checked, and per access key after it. */
const checksPerMinute = 60_000
const requestsPerMinute = 30_000
/** Maximum number of streamed responses. Each holds about 4 MiB, however slow its reader is. */
const streamLimits = { max: 256, maxPerAddress: 64 }

/**
 * Builds the S3 API. It has a separate listener, because all its paths are buckets and keys.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/
 */
export function createS3App({ context, readiness, publicListeners, stop }: FrontParts): FastifyInstance {
  const { config } = context
  const app = createServiceApp({
    log: context.log,
    metrics: context.metrics,
    readiness,
    stop,
    // Each bucket has its own CORS rules.
    listener: { ...config, corsOrigins: [] },
    publicListeners,
    publicUrl: config.s3Api?.publicUrl,
    dialect: encodeS3Error,
    describeError,
    traces: context.traces,
  })
  const isTrustedProxy = matchAddresses(config.trustedProxies)
  const slots = createAddressSlots({ ...streamLimits, isExempt: isTrustedProxy })
  const digests = createDigestThread()
  app.addHook('onClose', () => digests[Symbol.asyncDispose]())
  // The operations read bodies of any content type themselves.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  // S3 accepts any text as the content type, which is a property of the object. The operations read the raw headers.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    delete raw.headers['content-type']
    done()
  })
  app.route({
    method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'],
    url: '/*',
    exposeHeadRoute: false,
    config: { callId: 's3' },
    handler: async (request, reply) => {
      reply.header('x-amz-request-id', request.id)
      const { hosts = [] } = config.s3Api ?? {}
      const read = readS3Request(request.raw, request.originalUrl, hosts)
      context.rates.consume(`s3 ${rateLimitKey(request.ip)}`, checksPerMinute)
      const cors = await readCors(context, read)
      if (request.method === 'OPTIONS') return answerPreflight(reply, cors)
      if (cors !== undefined) reply.headers(cors)
      const signal = watch(request, reply)
      const answer = isForm(read)
        ? await answerForm({ context, digests }, request, read, signal)
        : await answerCall({ context, digests }, request, read, signal)
      await send(request, reply, answer, slots, context.userPriority.noteTransfer)
      return reply
    },
  })
  return app
}

/** Returns the bucket's CORS headers; undefined without an origin, or if no rule allows the request. */
async function readCors(
  context: Context,
  { bucket, method, header }: S3Request,
): Promise<Record<string, string> | undefined> {
  const origin = header('origin')
  if (origin === undefined || bucket === '') return undefined
  const rules = readCorsRules((await selectBucket(context.db.read, bucket))?.cors ?? null)
  if (method !== 'OPTIONS') return corsHeaders(rules, origin, method)
  const asked = (header('access-control-request-headers') ?? '').split(',').map((name) => name.trim())
  const names = asked.filter((name) => name !== '')
  return corsHeaders(rules, origin, header('access-control-request-method') ?? '', names)
}

/** Responds to a preflight, which is not signed. @throws CairnError `AccessForbidden` */
function answerPreflight(reply: FastifyReply, cors: Record<string, string> | undefined): FastifyReply {
  if (cors === undefined) throw s3Error('AccessForbidden')
  return reply.status(200).headers(cors).send()
}

/** What every request is handled with. */
type S3Parts = { context: Context; digests: DigestThread }

async function answerCall(
  parts: S3Parts,
  message: FastifyRequest,
  request: S3Request,
  signal: AbortSignal,
): Promise<Answer> {
  const call = await openCall(parts, message, request, signal)
  return findOperation(request)(call)
}

/** Responds to a form, which is authenticated by its fields. */
function answerForm(
  { context, digests }: S3Parts,
  message: FastifyRequest,
  request: S3Request,
  signal: AbortSignal,
): Promise<Answer> {
  const { config } = context
  const { region = '' } = config.s3Api ?? {}
  const feed = readSteadily(message.raw, signal, config.uploadRateWindowMs)
  const find = async (accessKeyId: string): Promise<S3Credential> => {
    const credential = await findS3Credential(context, accessKeyId)
    admit(context, message, credential)
    return credential
  }
  return postObject({ context, digests, request, region, feed, find })
}

/** Counts a request of an access key, and names its caller in the log. */
function admit({ rates }: Pick<Context, 'rates'>, message: FastifyRequest, credential: S3Credential): void {
  rates.consume(`s3 ${credential.accessKeyId}`, requestsPerMinute)
  message.cairnCaller = { caller: credential, id: credential.accessKeyId }
}

/** Authenticates a request before its body is read. */
async function openCall(
  { context, digests }: S3Parts,
  message: FastifyRequest,
  request: S3Request,
  signal: AbortSignal,
): Promise<S3Call> {
  const { config, clock } = context
  const { region = '' } = config.s3Api ?? {}
  const { credential, payload, signing } = await verifyRequest(request.raw, {
    region,
    now: clock.now(),
    find: (accessKeyId) => findS3Credential(context, accessKeyId),
  })
  admit(context, message, credential)
  const feed = readSteadily(message.raw, signal, config.uploadRateWindowMs)
  return {
    context,
    request,
    caller: credential,
    region,
    signal,
    id: message.id,
    logFailure: (error) => logFailure(message, context.failures, CairnError.from(error), error),
    body: { feed, payload, signing, digests, header: request.header },
  }
}

/** Returns a signal that aborts when the client disconnects or the service stops. */
function watch(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const { cairnStop } = request
  const ending = new AbortController()
  const stop = () => ending.abort(cairnStop?.reason)
  whenClosed(reply.raw, () => {
    cairnStop?.removeEventListener('abort', stop)
    if (!reply.raw.writableFinished) ending.abort(new CairnError('ABORTED', { message: 'The client disconnected' }))
  })
  if (cairnStop?.aborted === true) stop()
  // A signal made of both would cost more than the rest of the request needs of them.
  else cairnStop?.addEventListener('abort', stop, { once: true })
  return ending.signal
}

/** Sends a response; a streamed one only below the limit of streams. @throws CairnError OVERLOADED */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  slots: ReturnType<typeof createAddressSlots>,
  onMore: () => void,
): Promise<void> {
  const release = typeof answer.body === 'function' ? slots.acquire(request.ip) : () => undefined
  if (release === undefined) throw new CairnError('OVERLOADED', { retryAfterSeconds: 2 })
  const headers = { ...answer.headers, [requestIdHeader]: request.id }
  try {
    reply.removeHeader('cache-control')
    await sendReply(request, reply, { ...answer, headers }, { onMore })
  } finally {
    release()
  }
}
