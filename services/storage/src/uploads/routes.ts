import { Readable } from 'node:stream'
import { addFiles as addFilesCall, catKubo, importCar as importCarCall, KIB, type Uploaded } from '@cairn/protocol'
import { setDialect } from '@cairn/service'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { readBoundary } from '../multipart/boundary.ts'
import { type Added, addFiles } from './add-files.ts'
import { openCat } from './cat-file.ts'
import { type ImportedCar, importCar } from './import-car.ts'
import { readImportProfile } from './import-profile.ts'
import { isKuboClient } from './kubo-client.ts'
import { readMimeType } from './mime-type.ts'
import { readSteadily } from './read-steadily.ts'

const linePieceCharacters = 64 * KIB

/** Binds the calls that bring bytes in, and Kubo's way to read them. */
export function registerUploadRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, addFilesCall, async ({ input: { query, headers }, caller, raw, reply, signal }) => {
    const isKubo = isKuboClient(query, raw.headers)
    if (isKubo) setDialect(reply, 'kubo')
    const encryption = headers.encryption?.toLowerCase() === 'true'
    const memory = context.partMemory.open('TOO_MANY_PARTS')
    const added = await addFiles(
      context,
      caller.address,
      readSteadily(raw.raw, signal, context.config.uploadRateWindowMs),
      {
        boundary: readBoundary(raw.headers['content-type']),
        bodyBytes: readLength(raw.headers['content-length']),
        profile: readImportProfile(query, isKubo ? 0 : 1),
        wrap: query['wrap-with-directory'] ?? false,
        onlyHash: query['only-hash'] ?? false,
        isKubo,
        encryption,
        mimeType: readMimeType(headers['mime-type']),
        storageType: headers['x-storage-type'],
        memory,
      },
    )
    // An answer that lists every entry is written from what is counted.
    if (reply.raw.closed) memory.release()
    else reply.raw.once('close', memory.release)
    if (isKubo) return sendLines(reply, kuboLines(added, query.progress ?? false))
    if (encryption) return sendJson(reply, added.roots)
    return sendJson(reply, added.roots[0])
  })

  route(app, context, importCarCall, async ({ input: { query, headers }, caller, raw, reply, signal }) => {
    const isKubo = isKuboClient(query, raw.headers)
    if (isKubo) setDialect(reply, 'kubo')
    const imported = await importCar(
      context,
      caller.address,
      readSteadily(raw.raw, signal, context.config.uploadRateWindowMs),
      {
        boundary: readBoundary(raw.headers['content-type']),
        bodyBytes: readLength(raw.headers['content-length']),
        isKubo,
        storageType: headers['x-storage-type'],
        mimeType: readMimeType(headers['mime-type']),
        encryption: headers.encryption?.toLowerCase() === 'true',
        signal,
      },
    )
    if (!isKubo) return sendJson(reply, imported.roots[0])
    if (query.silent) return sendLines(reply, [])
    return sendLines(reply, importLines(imported, query['pin-roots'] ?? true, query.stats ?? false))
  })

  route(app, context, catKubo, async ({ input: { query }, reply, signal }) => {
    const { arg, offset, length } = query
    const { sizeBytes, bytes } = await openCat(context.packs, arg, { offset, length, signal })
    // Kubo's clients read the body to its end; a fault in the middle cuts the connection, which they notice.
    return reply
      .header('content-type', 'text/plain')
      .header('x-content-length', String(sizeBytes))
      .header('x-stream-output', '1')
      .send(Readable.from(bytes, { objectMode: false, highWaterMark: 1024 * 1024 }))
  })
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

/** Answers as Kubo does: JSON lines, which may be many. */
function sendLines(reply: FastifyReply, lines: Iterable<unknown>): FastifyReply {
  return reply
    .header('content-type', 'application/json')
    .header('x-chunked-output', '1')
    .send(Readable.from(joinLines(lines), { objectMode: false }))
}

/** Lines of JSON in pieces worth a write of their own; one piece at least, for an empty stream has no beginning. */
function* joinLines(lines: Iterable<unknown>): Generator<Buffer, void, undefined> {
  let piece = ''
  for (const line of lines) {
    piece += `${JSON.stringify(line)}\n`
    if (piece.length < linePieceCharacters) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}

/** Answers with JSON and nothing behind it: published clients look for a bracket at the very end. */
function sendJson(reply: FastifyReply, answer: Uploaded | readonly Uploaded[] | undefined): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer))
}

function readLength(header: string | undefined): number | undefined {
  const length = Number(header ?? Number.NaN)
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined
}
