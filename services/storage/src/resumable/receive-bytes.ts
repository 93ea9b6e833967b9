import { randomUUID } from 'node:crypto'
import { CairnError, MIB, resumableSegmentBytes, uploadWriterLifetimeMs } from '@cairn/protocol'
import type { ObjectWriter } from '@cairn/service/objects'
import type { Context } from '../context.ts'
import type { Feed } from '../multipart/read-multipart.ts'
import { attemptCleanup } from '../uploads/uploads.ts'
import { openImport } from './import-segments.ts'
import { createStepGuard, type Segments } from './segments.ts'
import { requireSpace } from './small-parts.ts'
import { addPart, countParts, type ResumableUpload, renewUpload } from './store.ts'

/** Key prefix of upload parts in the object store until the upload is complete. */
export const partPrefix = 'uploads/'

/** Pieces are joined up to this size before they are written, because many small writes cost more. */
const writeBytes = MIB
/**
 * Receives bytes of an upload from its offset on. They become durable in segments, each of which advances the offset;
 * bytes that arrived before the client disconnected are kept. Returns the new offset.
 *
 * @throws CairnError PAYLOAD_TOO_LARGE for more bytes than are missing, TOO_MANY_PARTS for few bytes after many such
 * requests, UPLOAD_BUSY when another writer took over, STORAGE_FULL, STORAGE_FAILED, and what the feed throws
 */
export async function receiveBytes(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  feed: Feed,
): Promise<number> {
  const { id, length_bytes: lengthBytes } = upload
  const segments = await (upload.isImporting ? openImport : openParts)(context, upload, writer)
  let receivedBytes = 0
  let lastCheckedBytes = 0
  const beat = setInterval(() => {
    // A silent client loses its right to write: it may have reconnected.
    if (lastCheckedBytes === receivedBytes && !segments.isBusy) return
    lastCheckedBytes = receivedBytes
    renewUpload(context, id, writer).catch((error: unknown) =>
      context.failures.failed('keep upload', error, 'failed to store an upload', { upload: id }),
    )
  }, uploadWriterLifetimeMs / 4)
  beat.unref()
  try {
    try {
      await feed((piece) => {
        receivedBytes += piece.length
        if (upload.offset_bytes + receivedBytes > lengthBytes) throw tooLong(lengthBytes)
        return segments.take(piece)
      })
    } catch (error) {
      if (segments.hasFailed || CairnError.is(error, 'PAYLOAD_TOO_LARGE')) throw error
      await segments.flush()
      throw error
    }
    await segments.flush()
    return segments.offset
  } finally {
    clearInterval(beat)
    await segments.abort()
  }
}

/** The error for more bytes than the upload's declared length. */
export function tooLong(lengthBytes: number): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: 'The upload has more bytes than its declared length',
    details: { limitBytes: lengthBytes },
  })
}

/** Writes the bytes into objects, which are imported when the upload is complete. */
async function openParts(context: Context, upload: ResumableUpload, writer: string): Promise<Segments> {
  const parts = await countParts(context.db.read, upload.id)
  let offset = upload.offset_bytes
  let object: { key: string; out: ObjectWriter } | undefined
  let written = 0
  let buffer: Uint8Array | undefined
  let gatheredBytes = 0
  const guard = createStepGuard()

  const write = async (): Promise<void> => {
    if (buffer === undefined || gatheredBytes === 0) return
    if (object === undefined) {
      const key = `${partPrefix}${upload.id}.${offset}.${randomUUID()}`
      object = { key, out: await context.objects.create(key) }
    }
    const bytes = buffer.subarray(0, gatheredBytes)
    written += gatheredBytes
    gatheredBytes = 0
    await object.out.append([bytes])
  }
  const finish = async (): Promise<void> => {
    const sizeBytes = written + gatheredBytes
    if (sizeBytes > 0) {
      requireSpace(parts, { from: offset, to: offset + sizeBytes, lengthBytes: upload.length_bytes })
    }
    await write()
    if (object === undefined) return
    const { key, out } = object
    await out.finish()
    object = undefined
    try {
      await addPart(context, upload, writer, { offset_bytes: offset, size_bytes: written, object_key: key })
    } catch (error) {
      // The part stays unconfirmed: the answer to the commit may be lost, but not the commit. The next start resolves
      // it.
      if (CairnError.is(error, 'UPLOAD_BUSY')) {
        await attemptCleanup(context, 'remove a part', () => context.objects.remove(key))
      }
      throw error
    }
    await attemptCleanup(context, 'confirm a part', () => context.objects.confirm(key))
    offset += written
    written = 0
  }
  /** Copies what fits and frees the piece once it is consumed. Returns the number of bytes copied. */
  const gather = (piece: Uint8Array): number => {
    buffer ??= new Uint8Array(Math.min(writeBytes, upload.length_bytes - offset))
    const fitting = piece.subarray(0, buffer.length - gatheredBytes)
    buffer.set(fitting, gatheredBytes)
    gatheredBytes += fitting.length
    return fitting.length
  }
  const writeFull = async (piece: Uint8Array): Promise<void> => {
    for (let rest = piece; gatheredBytes > 0 && gatheredBytes === buffer?.length; ) {
      await (written + gatheredBytes >= resumableSegmentBytes ? finish() : write())
      rest = rest.subarray(gather(rest))
    }
  }

  return {
    get offset() {
      return offset
    },
    get isBusy() {
      return guard.isBusy
    },
    get hasFailed() {
      return guard.hasFailed
    },
    take(piece) {
      const rest = piece.subarray(gather(piece))
      return gatheredBytes === buffer?.length ? guard.run(() => writeFull(rest)) : undefined
    },
    flush: () => guard.run(finish),
    async abort() {
      const out = object?.out
      if (out !== undefined) await attemptCleanup(context, 'remove an unfinished part', () => out.abort())
    },
  }
}
