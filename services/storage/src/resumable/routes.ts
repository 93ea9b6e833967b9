import { randomUUID } from 'node:crypto'
import {
  CairnError,
  cancelUpload as cancelUploadCall,
  createUpload as createUploadCall,
  type ErrorCode,
  getTusOptions,
  getUpload as getUploadCall,
  isErrorCode,
  listOpenUploads,
  maxResumableBytes,
  restoreError,
  sendUploadBytes,
  tusBodyType,
  tusExtensions,
  tusVersion,
  type UploadInfo,
  type UploadState,
  uploadInfoSchema,
} from '@cairn/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { attemptCleanup, readSteadily } from '../uploads/uploads.ts'
import { createUpload } from './create-upload.ts'
import { receiveBytes, tooLong } from './receive-bytes.ts'
import { removeDropped } from './remove-dropped.ts'
import {
  acquireUpload,
  dropUpload,
  findUpload,
  listUploads,
  type ResumableUpload,
  releaseUpload,
  type Uploader,
  uploadTaken,
} from './store.ts'
import { failUpload, storeUpload } from './store-upload.ts'
import { readUploadName } from './upload-metadata.ts'

/** Registers the tus protocol. @see https://tus.io/protocols/resumable-upload */
export function registerResumableRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, getTusOptions, async ({ reply }) => setTusHeaders(reply).status(204).send())

  route(app, context, createUploadCall, async ({ input: { headers }, caller, raw, reply, signal }) => {
    checkVersion(raw, reply)
    refuseConcatenation(raw)
    const upload = await createUpload(context, caller, headers['upload-length'], headers['upload-metadata'] ?? '')
    // An empty upload is already complete.
    if (upload.state === 'received' && upload.length_bytes === 0) await storeNow(context, upload.id, signal)
    return (
      reply
        .status(201)
        // Relative to the called URL, regardless of proxies.
        .header('location', `uploads/${upload.id}`)
        .header('upload-expires', new Date(upload.expires_at).toUTCString())
        .send()
    )
  })

  route(app, context, listOpenUploads, async ({ caller }) => {
    const rows = await listUploads(context, caller.address)
    return {
      uploads: rows.map((row) => {
        const { result: _result, error: _error, ...info } = toInfo(row)
        return info
      }),
    }
  })

  route(app, context, getUploadCall, async ({ input: { params }, caller, raw, reply }) => {
    checkVersion(raw, reply)
    const upload = await requireUpload(context, params.id, caller)
    setOffsetHeaders(reply, upload).header('upload-length', String(upload.length_bytes))
    if (upload.metadata !== '') reply.header('upload-metadata', upload.metadata)
    return toInfo(upload)
  })

  route(app, context, sendUploadBytes, async ({ input, caller, raw, reply, signal }) => {
    checkVersion(raw, reply)
    const type = (raw.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
    if (type !== tusBodyType) {
      throw new CairnError('UNSUPPORTED_MEDIA_TYPE', { hint: `Send the content type ${tusBodyType}.` })
    }
    const offset = input.headers['upload-offset']
    if (offset === undefined) throw new CairnError('INVALID_REQUEST', { message: 'Upload-Offset is missing' })
    const { id } = input.params
    const found = await requireUpload(context, id, caller)
    if (found.state === 'failed') throw readFailure(found)
    if (offset !== found.offset_bytes) throw wrongOffset(reply, found)
    const announced = Number(raw.headers['content-length'] ?? 0)
    if (announced > found.length_bytes - offset) throw tooLong(found.length_bytes)
    if (found.state === 'receiving') await receive(context, found, raw, reply, signal)
    const now = await requireUpload(context, id, caller)
    if (now.state === 'received') await storeNow(context, id, raw.cairnStop ?? signal)
    return setOffsetHeaders(reply, await requireUpload(context, id, caller))
      .status(204)
      .send()
  })

  route(app, context, cancelUploadCall, async ({ input: { params }, caller, raw, reply }) => {
    checkVersion(raw, reply)
    const { id } = await requireUpload(context, params.id, caller)
    await removeDropped(context, await dropUpload(context, id))
    return reply.status(204).send()
  })
}

/** Receives the body as the only writer. */
async function receive(
  context: Context,
  { id, offset_bytes: offset }: ResumableUpload,
  raw: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<void> {
  const writer = randomUUID()
  const upload = await acquireUpload(context, id, 'receiving', writer)
  if (upload === undefined) throw uploadTaken()
  try {
    if (upload.offset_bytes !== offset) throw wrongOffset(reply, upload)
    await receiveBytes(context, upload, writer, readSteadily(raw.raw, signal, context.config.uploadRateWindowMs))
  } catch (error) {
    // The same bytes would be rejected again.
    if (isDenied(error)) await failUpload(context, upload, writer, error)
    throw error
  } finally {
    await attemptCleanup(context, 'release the lease', () => releaseUpload(context, id, writer))
  }
}

function isDenied(error: unknown): error is CairnError {
  return CairnError.is(error, 'CONTENT_DENIED') || CairnError.is(error, 'CONTENT_DENIED_BY_LAW')
}

/** Stores a complete upload. @throws CairnError UPLOAD_BUSY while another process stores it */
async function storeNow(context: Context, id: string, signal: AbortSignal): Promise<void> {
  const writer = randomUUID()
  const upload = await acquireUpload(context, id, 'received', writer)
  if (upload === undefined) throw uploadTaken()
  await storeUpload(context, upload, writer, signal)
}

async function requireUpload(context: Context, id: string, uploader: Uploader): Promise<ResumableUpload> {
  const upload = await findUpload(context, id, uploader)
  if (upload === undefined) throw new CairnError('NOT_FOUND', { message: 'The upload does not exist' })
  return upload
}

/** Clients that name a version of tus must name ours. @throws CairnError PRECONDITION_FAILED */
function checkVersion(raw: FastifyRequest, reply: FastifyReply): void {
  setTusHeaders(reply)
  const version = raw.headers['tus-resumable']
  // Reading and ending an upload need no version; creating one and sending bytes do.
  const isNeeded = raw.method === 'POST' || raw.method === 'PATCH'
  if (version === tusVersion || (version === undefined && !isNeeded)) return
  throw new CairnError('PRECONDITION_FAILED', {
    message: `Tus-Resumable must be ${tusVersion}`,
    hint: `Send the header Tus-Resumable: ${tusVersion}.`,
  })
}

/** Otherwise, each part of a parallel upload would be stored as a file. @throws CairnError INVALID_REQUEST */
function refuseConcatenation({ headers }: FastifyRequest): void {
  if (headers['upload-concat'] === undefined) return
  throw new CairnError('INVALID_REQUEST', {
    message: 'Upload-Concat is not supported',
    hint: 'Send the file as one upload, without parallel uploads. Tus-Extension lists the supported extensions.',
  })
}

function wrongOffset(reply: FastifyReply, upload: ResumableUpload): CairnError {
  reply.header('upload-offset', String(upload.offset_bytes))
  return new CairnError('UPLOAD_OFFSET', { details: { offsetBytes: upload.offset_bytes } })
}

/** Sets the headers of every tus answer. */
function setTusHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'tus-resumable': tusVersion,
    'tus-version': tusVersion,
    'tus-extension': tusExtensions.join(','),
    'tus-max-size': String(maxResumableBytes),
    'cache-control': 'no-store',
  })
}

function setOffsetHeaders(reply: FastifyReply, upload: ResumableUpload): FastifyReply {
  return reply.headers({
    'upload-offset': String(upload.offset_bytes),
    'upload-expires': new Date(upload.expires_at).toUTCString(),
  })
}

const wireStates: Record<ResumableUpload['state'], UploadState> = {
  receiving: 'receiving',
  received: 'storing',
  stored: 'stored',
  failed: 'failed',
}

function toInfo(row: ResumableUpload): UploadInfo {
  return {
    id: row.id,
    state: wireStates[row.state],
    lengthBytes: row.length_bytes,
    offsetBytes: row.offset_bytes,
    name: readUploadName(row.metadata),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.result === null ? {} : { result: v.parse(uploadInfoSchema.entries.result, JSON.parse(row.result)) }),
    ...(row.error === null ? {} : { error: v.parse(uploadInfoSchema.entries.error, JSON.parse(row.error)) }),
  }
}

/** Returns the stored error of a failed upload. */
function readFailure(row: ResumableUpload): CairnError {
  const { code = '', message, hint } = toInfo(row).error ?? {}
  const known: ErrorCode = isErrorCode(code) ? code : 'INTERNAL'
  return restoreError(known, {
    ...(message === undefined ? {} : { message }),
    ...(hint === undefined ? {} : { hint }),
  })
}
