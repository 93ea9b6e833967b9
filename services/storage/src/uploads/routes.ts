import { addFiles as addFilesCall, CairnError, importCar as importCarCall, type Uploaded } from '@cairn/protocol'
import { sendUnread, whenClosed } from '@cairn/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { isKuboClient } from '../http/kubo-client.ts'
import { requireKnownOptions } from '../http/kubo-options.ts'
import { route } from '../http/route.ts'
import { sendLines } from '../http/send-lines.ts'
import { isShortage } from '../ledger/ledger.ts'
import { readBoundary } from '../multipart/boundary.ts'
import { type Added, addFiles } from './add-files.ts'
import { type ImportedCar, importCar } from './import-car.ts'
import { rejectedOptions } from './import-profile.ts'
import { readMetadataRequest, withMetadata } from './node-metadata.ts'
import { multipartSource } from './part-source.ts'
import { requireQuotaOfBody } from './quota-meter.ts'
import { readSteadily } from './read-steadily.ts'
import {
  findKeyed,
  hashIdempotencyKey,
  isWorthLookup,
  type KeyedUpload,
  type RepeatedRequest,
} from './repeated-uploads.ts'
import { readUploadSettings } from './upload-settings.ts'

/** Options of Kubo's `add` that its CLI handles itself, or that have no effect in a service that pins everything. */
const clientOptions = [
  'recursive',
  'dereference-args',
  'dereference-symlinks',
  'stdin-name',
  'hidden',
  'ignore',
  'ignore-rules-path',
  'quiet',
  'quieter',
  'silent',
  'fscache',
  'inline-limit',
]
const jsonType = 'application/json; charset=utf-8'
const addOptions = [...Object.keys(addFilesCall.query.entries), ...rejectedOptions, ...clientOptions]

/** Registers the upload routes. */
export function registerUploadRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, addFilesCall, async ({ input: { query, headers }, caller, raw, reply, signal }) => {
    const isKubo = isKuboClient(query, raw.headers)
    if (isKubo) requireKnownOptions(query, addOptions)
    const metadata = readMetadataRequest(query)
    const settings = withMetadata(readUploadSettings({ ...query, ...headers }, isKubo ? 0 : 1), metadata)
    const onlyHash = query['only-hash'] ?? false
    const pinName = query['pin-name'] ?? ''
    if (pinName !== '' && (onlyHash || query.pin === false)) {
      throw new CairnError('INVALID_REQUEST', { message: 'pin-name requires a pin' })
    }
    const idempotencyKey = onlyHash ? undefined : hashIdempotencyKey(caller.address, query['idempotency-key'])
    // An answer with all of the entries needs their content.
    const repeated = {
      isPrivate: settings.isPrivate,
      idempotencyKey: isKubo || settings.encryption ? undefined : idempotencyKey,
    }
    const stored = await findUnread(context, repeated, raw)
    if (stored !== undefined) return sendStored(context, { raw, reply, signal }, stored)
    const charged = onlyHash ? undefined : await rejectUnread(context, caller, raw, repeated)
    if (charged !== undefined) return sendStored(context, { raw, reply, signal }, charged)
    const memory = context.partMemory.open('TOO_MANY_PARTS')
    const added = await addFiles(
      context,
      caller.address,
      readSteadily(raw.raw, signal, context.config.uploadRateWindowMs),
      {
        boundary: readBoundary(raw.headers['content-type']),
        bodyBytes: readLength(raw.headers['content-length']),
        ...settings,
        metadata,
        ...(pinName === '' ? {} : { listedName: pinName }),
        onlyHash,
        isKubo,
        idempotencyKey,
        memory,
      },
    ).catch((error: unknown) => findCharged(context, repeated, error))
    if ('Hash' in added) return sendStored(context, { raw, reply, signal }, added)
    // An answer that lists every entry is written from counted memory.
    whenClosed(reply.raw, memory.release)
    if (isKubo) return sendLines(reply, kuboLines(added, query.progress ?? false))
    if (settings.encryption) return sendJson(reply, added.roots)
    return sendJson(reply, added.roots[0])
  })

  route(app, context, importCarCall, async ({ input: { query, headers }, caller, raw, reply, signal }) => {
    const isKubo = isKuboClient(query, raw.headers)
    if (isKubo) requireKnownOptions(query, Object.keys(importCarCall.query.entries))
    const idempotencyKey = hashIdempotencyKey(caller.address, query['idempotency-key'])
    const settings = readUploadSettings(headers, 1)
    const repeated = { isPrivate: settings.isPrivate, idempotencyKey: isKubo ? undefined : idempotencyKey }
    const stored = await findUnread(context, repeated, raw)
    if (stored !== undefined) return sendStored(context, { raw, reply, signal }, stored)
    const charged = await rejectUnread(context, caller, raw, repeated)
    if (charged !== undefined) return sendStored(context, { raw, reply, signal }, charged)
    const body = readSteadily(raw.raw, signal, context.config.uploadRateWindowMs)
    const { 'content-type': contentType, 'content-length': contentLength } = raw.headers
    const parts = multipartSource(body, readBoundary(contentType), readLength(contentLength))
    const imported = await importCar(context, caller.address, parts, {
      ...settings,
      isKubo,
      idempotencyKey,
      signal,
    }).catch((error: unknown) => findCharged(context, repeated, error))
    if ('Hash' in imported) return sendStored(context, { raw, reply, signal }, imported)
    if (!isKubo) return sendJson(reply, imported.roots[0])
    if (query.silent) return sendLines(reply, [])
    return sendLines(reply, importLines(imported, query['pin-roots'] ?? true, query.stats ?? false))
  })
}

/**
 * Files are reserved as the body is read. A client that waits for a 100 is rejected before that if its body cannot fit, unless an
 * earlier request stored it, which is returned.
 */
async function rejectUnread(
  context: Context,
  { address }: Caller,
  { headers }: FastifyRequest,
  repeated: RepeatedRequest,
): Promise<Uploaded | undefined> {
  const bodyBytes = readLength(headers['content-length'])
  if (headers.expect === undefined || bodyBytes === undefined) return undefined
  try {
    await requireQuotaOfBody(context, address, bodyBytes)
    return undefined
  } catch (error) {
    return findCharged(context, repeated, error)
  }
}

/** Returns what an earlier request with the same key stored, before the body of this one is received. */
async function findUnread(
  { db }: Context,
  request: RepeatedRequest,
  { headers }: FastifyRequest,
): Promise<Uploaded | undefined> {
  if (!isWorthLookup(readLength(headers['content-length']))) return undefined
  return toAnswer(await findKeyed(db.read, request))
}

/**
 * Returns what an earlier request with the same key stored, if this one fails because there is too little quota: the first one may
 * have used it up.
 * @throws the error, if it has another cause
 */
async function findCharged({ db }: Context, request: RepeatedRequest, error: unknown): Promise<Uploaded> {
  const stored = isShortage(error) ? toAnswer(await findKeyed(db.read, request)) : undefined
  if (stored === undefined) throw error
  return stored
}

function toAnswer(stored: KeyedUpload | undefined): Uploaded | undefined {
  return stored && { Name: stored.name, Hash: stored.cid, Size: String(stored.dag_size_bytes) }
}

/** Sends the answer of an earlier request. The body of this one is discarded as it arrives, within the minimum rate of uploads. */
function sendStored(
  { config }: Context,
  { raw, reply, signal }: { raw: FastifyRequest; reply: FastifyReply; signal: AbortSignal },
  stored: Uploaded,
): FastifyReply {
  const readRest = () => readSteadily(raw.raw, signal, config.uploadRateWindowMs)(() => undefined)
  return sendUnread(raw, reply.header('content-type', jsonType), JSON.stringify(stored), { readRest })
}

function* kuboLines({ entries }: Added, progress: boolean): Generator<unknown, void, undefined> {
  for (const { fileSizeBytes, ...entry } of entries) {
    if (progress && fileSizeBytes !== undefined) yield { Name: entry.Name, Bytes: fileSizeBytes }
    yield entry
  }
}

function importLines({ roots, blockCount, blockBytes }: ImportedCar, pinRoots: boolean, stats: boolean): unknown[] {
  const lines: unknown[] = pinRoots ? roots.map(({ Hash }) => ({ Root: { Cid: { '/': Hash }, PinErrorMsg: '' } })) : []
  if (stats) lines.push({ Stats: { BlockCount: blockCount, BlockBytesCount: blockBytes } })
  return lines
}

/** Sends JSON without a trailing line break: published clients look for a bracket at the very end. */
function sendJson(reply: FastifyReply, answer: Uploaded | readonly Uploaded[] | undefined): FastifyReply {
  return reply.header('content-type', jsonType).send(JSON.stringify(answer))
}

function readLength(header: string | undefined): number | undefined {
  const length = Number(header ?? Number.NaN)
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined
}
