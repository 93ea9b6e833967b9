import { CairnError } from '@cairn/protocol'
import { readFile, resolvePath } from '@cairn/unixfs'
import type { Client } from '../client.ts'
import { iterateStream } from '../iterate-stream.ts'
import { createProgress, type OnProgress } from '../progress.ts'
import { describeDamage, openCarSource } from './car-source.ts'
import { parseContentPath } from './content-path.ts'

export type DownloadOptions = {
  /** First byte. Defaults to 0. */
  fromByte?: number
  /** End of the range, exclusive. Defaults to the end of the file. */
  toByte?: number
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** An open file. */
export type OpenFile = {
  /** Size of the whole file in bytes, whatever the range. */
  sizeBytes: number
  /** The verified bytes of the range. Read the stream to its end or cancel it. */
  stream: ReadableStream<Uint8Array>
}

/**
 * Opens a file for reading by `cid` or `cid/path/below`. This machine verifies every block against its CID before it
 * yields the bytes, so the gateway is not trusted.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PATH_NOT_FOUND, INVALID_RANGE; the stream fails with
 *   VERIFICATION_FAILED, DOWNLOAD_INCOMPLETE, ABORTED
 */
export async function openFile(client: Client, cidPath: string, options: DownloadOptions = {}): Promise<OpenFile> {
  const { fromByte = 0, toByte, signal, onProgress } = options
  const path = parseContentPath(cidPath)
  const isRange = fromByte > 0 || toByte !== undefined
  if (toByte !== undefined && toByte <= fromByte) throw new CairnError('INVALID_RANGE')
  const entityBytes = `${fromByte}:${toByte === undefined ? '*' : toByte - 1}`
  const source = await openCarSource(
    client,
    path,
    isRange ? { scope: 'entity', entityBytes } : { scope: 'entity' },
    signal,
  )
  try {
    const { cid, kind, node } = await resolvePath(source, path.root, path.segments)
    if (node.kind !== 'file' && node.kind !== 'raw') {
      throw new CairnError('NOT_A_FILE', { message: `This is a ${kind}, not a file` })
    }
    const sizeBytes = node.fileSizeBytes
    const end = Math.min(toByte ?? sizeBytes, sizeBytes)
    if (fromByte > sizeBytes) throw new CairnError('INVALID_RANGE', { details: { sizeBytes } })
    const progress = createProgress('receive', end - fromByte, onProgress)
    source.repeatLast()
    const bytes = readFile(source, cid, { fromByte, toByte: end })
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await bytes.next()
            if (done) {
              progress.done()
              await source.close()
              controller.close()
              return
            }
            progress.add(value.length)
            controller.enqueue(value)
          } catch (error) {
            // A lying gateway may never end its response, so the client closes the connection without waiting.
            await source.close()
            controller.error(describeDamage(error, signal))
          }
        },
        cancel: () => source.close(),
      },
      { highWaterMark: 0 },
    )
    return { sizeBytes, stream }
  } catch (error) {
    await source.close()
    throw describeDamage(error, signal)
  }
}

/**
 * Reads a file, or a range of it, into memory.
 * @throws CairnError as openFile and its stream
 */
export async function downloadBytes(
  client: Client,
  cidPath: string,
  options: DownloadOptions = {},
): Promise<Uint8Array> {
  const { stream } = await openFile(client, cidPath, options)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of iterateStream(stream)) {
    parts.push(part)
    length += part.length
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
