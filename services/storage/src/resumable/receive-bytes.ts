import { randomUUID } from 'node:crypto'
import { CairnError, KIB, MIB, resumableSegmentBytes, uploadWriterLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import type { Feed } from '../multipart/read-multipart.ts'
import type { ObjectWriter } from '../objects/objects.ts'
import { giveUp } from '../uploads/uploads.ts'
import { addPart, countParts, keepUpload, type ResumableUpload } from './store.ts'

/** Where the parts of uploads lie in the object store until the last has come. */
export const partPrefix = 'uploads/'

/** Pieces are copied together up to this size before they are written: many small writes cost more. */
const writeBytes = MIB
/** Parts of an upload that may be smaller than {@link partBytesLeast}: each takes an object and a row, however small it is. */
export const smallPartsMost = 1000
export const partBytesLeast = 16 * KIB

/**
 * Takes bytes of an upload from its offset on. They are made durable in segments, and the offset moves behind each; what
 * arrived before the sender went away is kept. Answers the new offset.
 *
 * @throws CairnError PAYLOAD_TOO_LARGE for more bytes than are missing, TOO_MANY_PARTS for few bytes after many such requests,
 * UPLOAD_BUSY where another took over, STORAGE_FULL, STORAGE_FAILED, and what the feed throws
 */
export async function receiveBytes(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  feed: Feed,
): Promise<number> {
  const { id, length_bytes: lengthBytes } = upload
  const parts = await countParts(context.db.read, id)
  const takesSmall = parts < smallPartsMost + Math.floor(upload.offset_bytes / partBytesLeast)
  const segments = openSegments(context, upload, writer, takesSmall)
  let receivedBytes = 0
  let told = 0
  const beat = setInterval(() => {
    // A sender that is silent loses its right: it may have gone and come back by another connection.
    if (told === receivedBytes && !segments.isBusy) return
    told = receivedBytes
    keepUpload(context, id, writer).catch((error: unknown) =>
      context.failures.failed('keep upload', error, 'cannot keep an upload', { upload: id }),
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

/** More bytes than an upload was said to have. */
export function tooLong(lengthBytes: number): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: 'These are more bytes than the upload was said to have',
    details: { lengthBytes },
  })
}

function tooSmall(): CairnError {
  return new CairnError('TOO_MANY_PARTS', {
    message: 'This upload came in too many small pieces',
    hint: `Send at least ${partBytesLeast} bytes in each request.`,
    details: { bytesLeast: partBytesLeast },
  })
}

type Segments = {
  readonly offset: number
  readonly isBusy: boolean
  readonly hasFailed: boolean
  take(piece: Uint8Array): Promise<void> | undefined
  /** Makes durable what was taken. */
  flush(): Promise<void>
  /** Removes what was not made durable. */
  abort(): Promise<void>
}

function openSegments(context: Context, upload: ResumableUpload, writer: string, takesSmall: boolean): Segments {
  let offset = upload.offset_bytes
  let object: { key: string; out: ObjectWriter } | undefined
  let written = 0
  let buffer: Uint8Array | undefined
  let gatheredBytes = 0
  let isBusy = false
  let hasFailed = false

  const guard = async (step: () => Promise<void>): Promise<void> => {
    isBusy = true
    try {
      await step()
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      isBusy = false
    }
  }
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
    const isSmall = sizeBytes < partBytesLeast && offset + sizeBytes < upload.length_bytes
    if (isSmall && sizeBytes > 0 && !takesSmall) throw tooSmall()
    await write()
    if (object === undefined) return
    const { key, out } = object
    await out.finish()
    object = undefined
    try {
      await addPart(context, upload, writer, { offset_bytes: offset, size_bytes: written, object_key: key })
    } catch (error) {
      // It stays unconfirmed: the answer to the commit may be lost, not the commit. The next start finds out.
      if (CairnError.is(error, 'UPLOAD_BUSY')) {
        await giveUp(context, 'remove a part', () => context.objects.remove(key))
      }
      throw error
    }
    await giveUp(context, 'confirm a part', () => context.objects.confirm(key))
    offset += written
    written = 0
  }
  /** Copies what fits; the piece is freed when it is taken. Answers how many bytes that was. */
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
      return isBusy
    },
    get hasFailed() {
      return hasFailed
    },
    take(piece) {
      const rest = piece.subarray(gather(piece))
      return gatheredBytes === buffer?.length ? guard(() => writeFull(rest)) : undefined
    },
    flush: () => guard(finish),
    async abort() {
      const out = object?.out
      if (out !== undefined) await giveUp(context, 'remove an unfinished part', () => out.abort())
    },
  }
}
