import { CairnError } from '@cairn/protocol'
import { readFile, resolvePath } from '@cairn/unixfs'
import type { Client } from '../client.ts'
import { createProgress, type OnProgress } from '../progress.ts'
import { tryAgain } from '../request.ts'
import { describeDamage, openCarSource } from './car-source.ts'
import { parseContentPath } from './content-path.ts'
import { openOwnSource, openPrivateSource } from './open-own-source.ts'

export type DownloadOptions = {
  /** First byte. Defaults to 0. */
  fromByte?: number
  /** End of the range, exclusive. Defaults to the end of the file. */
  toByte?: number
  signal?: AbortSignal
  onProgress?: OnProgress
  /** Set it if a listing shows a private upload: the client then signs a link at once, which saves a request. */
  isPrivate?: boolean
}

/** An open file. */
export type OpenFile = {
  /** Size of the whole file in bytes, whatever the range. */
  sizeBytes: number
  /** The verified bytes of the range. Read the stream to its end or cancel it. */
  stream: ReadableStream<Uint8Array>
}

/** Maximum memory in bytes that is reserved for the size that a file claims to have. */
const trustedBytes = 16 * 1024 * 1024

/** Options of {@link openBytes}. */
type OpenOptions = DownloadOptions & {
  /** Whether the bytes before `fromByte` were downloaded earlier: the progress then includes them. */
  continues?: boolean
}

/** An open file for readers that finish a chunk before they request the next. */
export type OpenBytes = {
  /** Size of the whole file in bytes, whatever the range. */
  sizeBytes: number
  /** Number of bytes in the range. */
  rangeBytes: number
  /** The verified bytes of the range. A chunk is valid until the next one. Read to the end, or call `close`. */
  bytes: AsyncGenerator<Uint8Array, void, undefined>
  /** Closes the connection. */
  close(): Promise<void>
}

/**
 * Opens a file for reading by `cid` or `cid/path/below`. This machine verifies every block against its CID before it
 * yields the bytes, so the gateway is not trusted. If the connection breaks, the download continues where it stopped, like other
 * calls after up to three attempts without a further byte.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PATH_NOT_FOUND, INVALID_RANGE; the stream fails with
 *   VERIFICATION_FAILED, DOWNLOAD_INCOMPLETE, ABORTED
 */
export async function openFile(client: Client, cidPath: string, options: DownloadOptions = {}): Promise<OpenFile> {
  const { sizeBytes, bytes, close } = await openBytes(client, cidPath, options, ownSourceOf(options))
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await bytes.next()
          if (done) controller.close()
          else controller.enqueue(value.slice())
        } catch (error) {
          controller.error(error)
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
  return { sizeBytes, stream }
}

/**
 * Opens a file like `openFile`, for readers that copy or write each chunk before they request the next.
 * @param openSource opens the blocks. Defaults to those of public content: encrypted content is always public
 * @throws CairnError as openFile; the bytes fail like its stream
 */
export async function openBytes(
  client: Client,
  cidPath: string,
  options: OpenOptions = {},
  openSource = openCarSource,
): Promise<OpenBytes> {
  const { fromByte = 0, toByte, continues = false, signal, onProgress } = options
  const path = parseContentPath(cidPath)
  if (toByte !== undefined && toByte <= fromByte) throw new CairnError('INVALID_RANGE')
  const openAt = async (from: number) => {
    const isRange = from > 0 || toByte !== undefined
    const more = isRange ? `&entity-bytes=${from}:${toByte === undefined ? '*' : toByte - 1}` : ''
    const source = await openSource(client, path, { scope: 'entity', more }, signal)
    try {
      const { cid, kind, node } = await resolvePath(source, path.root, path.segments)
      if (node.kind !== 'file' && node.kind !== 'raw') {
        throw new CairnError('NOT_A_FILE', { message: `This is a ${kind}, not a file` })
      }
      const sizeBytes = node.fileSizeBytes
      if (from > sizeBytes) throw new CairnError('INVALID_RANGE', { details: { sizeBytes } })
      source.repeatLast(cid)
      const toEnd = Math.min(toByte ?? sizeBytes, sizeBytes)
      return { source, sizeBytes, end: toEnd, pieces: readFile(source, cid, { fromByte: from, toByte: toEnd }) }
    } catch (error) {
      await source.close()
      throw describeDamage(error, signal)
    }
  }
  const { sizeBytes, end, ...first } = await openAt(fromByte)
  const beforeBytes = continues ? fromByte : 0
  const progress = createProgress('receive', beforeBytes + end - fromByte, onProgress)
  if (continues) progress.reach(beforeBytes)
  let opened: typeof first | undefined = first
  let isClosed = false
  // A lying gateway may never end its response, so the client closes the connection without waiting.
  const close = async () => {
    isClosed = true
    await opened?.source.close()
  }
  let position = fromByte
  /** Returns the next piece. After a break, the download continues with the first byte that is missing. */
  const readNext = async (): Promise<IteratorResult<Uint8Array, void>> => {
    try {
      if (!isClosed) opened ??= await openAt(position)
      // The reader may have stopped while it was opened.
      if (isClosed || opened === undefined) throw new CairnError('ABORTED')
      return await opened.pieces.next()
    } catch (error) {
      await opened?.source.close()
      opened = undefined
      throw describeDamage(error, signal)
    }
  }
  const read = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        // Errors of the reader and of its progress are not those of the download.
        const { done, value } = await (position < end ? tryAgain(readNext, signal) : readNext())
        if (done) break
        position += value.length
        progress.add(value.length)
        yield value
      }
      progress.done()
    } finally {
      await close()
    }
  }
  return { sizeBytes, rangeBytes: end - fromByte, bytes: read(), close }
}

/**
 * Reads a file, or a range of it, into memory.
 * @throws CairnError as openFile and its stream
 */
export async function downloadBytes(
  client: Client,
  cidPath: string,
  options: DownloadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return readAll(await openBytes(client, cidPath, options, ownSourceOf(options)))
}

function ownSourceOf({ isPrivate = false }: DownloadOptions): typeof openCarSource {
  return isPrivate ? openPrivateSource : openOwnSource
}

/** Reads the range of an open file into memory. The claimed size reserves little memory; the rest follows the bytes that arrive. */
export async function readAll({
  rangeBytes,
  bytes,
}: Pick<OpenBytes, 'rangeBytes' | 'bytes'>): Promise<Uint8Array<ArrayBuffer>> {
  let all = new Uint8Array(Math.min(rangeBytes, trustedBytes))
  let at = 0
  for await (const part of bytes) {
    if (at + part.length > all.length) {
      const larger = new Uint8Array(Math.min(rangeBytes, Math.max(at + part.length, 2 * all.length)))
      larger.set(all)
      all = larger
    }
    all.set(part, at)
    at += part.length
  }
  return all
}
