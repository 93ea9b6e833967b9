import { MIB, resumableSegmentBytes } from '@cairn/protocol'
import { createFileImporter, type FileImporter } from '@cairn/unixfs'
import type { Context } from '../context.ts'
import { guardWriter } from '../moderation/moderation.ts'
import { hashSha256, isHeld, type PackWriter, type SealedPack } from '../packs/packs.ts'
import { attemptCleanup, isRecorded, sniffBytes } from '../uploads/uploads.ts'
import { advanceImport, type ImportProgress, readImport } from './import-progress.ts'
import { createStepGuard, type Segments } from './segments.ts'
import { requireSpace } from './small-parts.ts'
import type { ResumableUpload } from './store.ts'
import { readUploadMetadata } from './upload-metadata.ts'

/**
 * Segments of a large upload grow with it: each becomes a pack, and a pack takes an object, a row and a piece. A killed
 * service loses at most the bytes of two.
 */
const segmentsPerUpload = 128
const maxSegmentBytes = 128 * MIB
/**
 * A segment that arrives within this time is extended, up to a multiple of its size: few packs, syncs and units of work,
 * and hardly more time to send the bytes again. At a multiple of 4, uploads of 512 MiB took a sixth longer.
 */
const minSegmentMs = 500
const maxExtension = 16
const maxExtendedBytes = 512 * MIB

/** Returns the size of a segment in bytes, before it is extended. */
function segmentBytesOf(lengthBytes: number): number {
  return Math.min(maxSegmentBytes, Math.max(resumableSegmentBytes, Math.ceil(lengthBytes / segmentsPerUpload)))
}

/** A segment that is being received: complete chunks up to `end`, an offset in the file that may move up to `limit`. */
type OpenSegment = { pack: PackWriter; importer: FileImporter; end: number; limit: number; startedAt: number }

/**
 * Imports the bytes of a file while they arrive. Each segment is a pack of complete chunks, which the upload holds; the
 * bytes after the last complete chunk and the state of the importer are recorded with it. A segment becomes durable while
 * the next one arrives.
 */
export async function openImport(context: Context, upload: ResumableUpload, writer: string): Promise<Segments> {
  const { id, length_bytes: lengthBytes } = upload
  const { profile, isPrivate } = readUploadMetadata(upload.metadata).settings
  const { chunkSizeBytes } = profile
  const segmentBytes = segmentBytesOf(lengthBytes)
  /** One chunk less than `bytes` further on, so that a pack of 8 MiB with its frames is one call on S3. */
  const endAfter = (from: number, bytes: number) => Math.floor((from + bytes - 1) / chunkSizeBytes) * chunkSizeBytes
  const guard = createStepGuard()
  let durable = await readImport(context.db.read, id)
  /** Progress at the end of the last closed segment. */
  let closed = durable
  /** Bytes of the upload that were written. */
  let position = durable.offsetBytes
  let { start } = durable
  let segment: OpenSegment | undefined
  /** Makes the last closed segment durable. */
  let storing: Promise<void> | undefined
  let isStoring = false

  const open = async (): Promise<OpenSegment> => {
    const pack = guardWriter(context.packs.begin({ isPrivate }), context.denylist)
    const importer = createFileImporter({ profile, hash: hashSha256, sink: pack.sink }, closed.levels)
    const opened = {
      pack,
      importer,
      end: endAfter(position, segmentBytes),
      limit: endAfter(position, Math.min(maxExtension * segmentBytes, maxExtendedBytes)),
      startedAt: performance.now(),
    }
    segment = opened
    await importer.write(closed.tail)
    return opened
  }

  const write = (importer: FileImporter, piece: Uint8Array): void | Promise<void> => {
    if (start.length < sniffBytes) start = Buffer.concat([start, piece.subarray(0, sniffBytes - start.length)])
    position += piece.length
    return importer.write(piece)
  }

  const store = async (pack: PackWriter, from: ImportProgress, to: ImportProgress): Promise<void> => {
    isStoring = true
    try {
      await storeSegment(context, upload, writer, { pack, from, to })
      durable = to
    } finally {
      isStoring = false
    }
  }

  /** Ends the current segment, once the one before it is durable. */
  const close = async (): Promise<void> => {
    if (segment === undefined || position === closed.offsetBytes) return
    const { pack, importer } = segment
    const from = closed
    requireSpace(from.parts, { from: from.offsetBytes, to: position, lengthBytes })
    const { levels, tail } = await importer.state()
    await storing
    segment = undefined
    closed = { offsetBytes: position, levels, tail, start, parts: from.parts + 1 }
    storing = store(pack, from, closed)
    // The next segment, or the end, handles the failure.
    storing.catch(() => undefined)
  }

  const writeAcross = async (piece: Uint8Array): Promise<void> => {
    for (let rest = piece; rest.length > 0; ) {
      const current = segment ?? (await open())
      const fitting = rest.subarray(0, current.end - position)
      await write(current.importer, fitting)
      rest = rest.subarray(fitting.length)
      if (position < current.end) continue
      const next = Math.min(current.limit, endAfter(position, segmentBytes))
      if (performance.now() - current.startedAt < minSegmentMs && next > position) current.end = next
      else await close()
    }
  }

  return {
    get offset() {
      return durable.offsetBytes
    },
    get isBusy() {
      return guard.isBusy || isStoring
    },
    get hasFailed() {
      return guard.hasFailed
    },
    take(piece) {
      if (segment === undefined || position + piece.length >= segment.end) return guard.run(() => writeAcross(piece))
      const { importer } = segment
      let written: void | Promise<void>
      try {
        written = write(importer, piece)
      } catch (error) {
        return guard.run(() => Promise.reject(error))
      }
      return written instanceof Promise ? guard.run(() => written) : undefined
    },
    flush: () =>
      guard.run(async () => {
        await close()
        await storing
      }),
    async abort() {
      await storing?.catch(() => undefined)
      const pack = segment?.pack
      if (pack !== undefined) await attemptCleanup(context, 'remove an unfinished pack', () => pack.abort())
    },
  }
}

/** Makes a segment durable: its pack, and then its row, which advances the offset. */
async function storeSegment(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  { pack, from, to }: { pack: PackWriter; from: ImportProgress; to: ImportProgress },
): Promise<void> {
  let sealed: SealedPack
  try {
    sealed = await pack.seal([])
  } catch (error) {
    await attemptCleanup(context, 'remove an unfinished pack', () => pack.abort())
    throw error
  }
  try {
    await advanceImport(context, upload, writer, { from: from.offsetBytes, to, sealed })
  } catch (error) {
    const { own } = sealed
    const isNamed = async () => own !== undefined && (await isHeld(context.db.read, upload.id, own.id))
    if (!(await isRecorded(context, sealed, isNamed))) throw error
    // The answer to the commit was lost, but the commit took effect.
    context.log.warn({ err: error, upload: upload.id }, 'bytes of an upload were recorded despite an error')
  }
  await attemptCleanup(context, 'confirm a pack', () => context.packs.confirm(sealed))
}
