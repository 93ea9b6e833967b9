import { CairnError } from '@cairn/protocol'
import { iterateStream } from '../iterate-stream.ts'
import type { LocalFile } from '../local-source.ts'

/** Wraps a File or Blob as a file to upload. */
export function blobFile(blob: Blob, name?: string): LocalFile {
  return {
    name: name ?? nameOf(blob),
    sizeBytes: blob.size,
    mimeType: blob.type === '' ? undefined : blob.type,
    blob,
    canReopen: true,
    open: () => readBlob(blob),
  }
}

/** Bytes that are read together: a page spends most of its time on a stream on the number of its pieces. */
const pieceBytes = 1024 * 1024

/**
 * Yields the bytes of a File or Blob. A stream costs browsers half of what reads of its parts do: fewer messages to the process
 * that stores the bytes. A piece is valid until the next but one is read.
 * @throws CairnError FILE_UNREADABLE if it was changed or removed after it was chosen
 */
export async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  try {
    let readBytes = 0
    for await (const piece of readPieces(blob)) {
      readBytes += piece.length
      yield piece
    }
    // Firefox reads a file that was cut as it is now.
    if (readBytes !== blob.size) throw new Error(`${readBytes} of ${blob.size} bytes are left`)
  } catch (cause) {
    throw new CairnError('FILE_UNREADABLE', {
      message: `Cannot read ${nameOf(blob)}`,
      hint: 'The file was changed or removed after it was selected. Select it again.',
      cause,
    })
  }
}

async function* readPieces(blob: Blob): AsyncGenerator<Uint8Array> {
  const stream = blob.stream()
  let reader: ReadableStreamBYOBReader
  try {
    reader = stream.getReader({ mode: 'byob' })
  } catch {
    // Not every browser reads into a buffer of the caller.
    return yield* iterateStream(stream)
  }
  // Two buffers, because a transport may still send a piece while it reads the next. New ones would cost more than the reads.
  const spares: ArrayBuffer[] = []
  try {
    for (let left = blob.size; left > 0; ) {
      let buffer = (spares.length > 1 && spares.shift()) || new ArrayBuffer(Math.min(left, pieceBytes))
      const wanted = Math.min(left, buffer.byteLength)
      let filled = 0
      while (filled < wanted) {
        const { value } = await reader.read(new Uint8Array(buffer, filled, wanted - filled))
        if (value === undefined || value.length === 0) return
        buffer = value.buffer
        filled += value.length
      }
      left -= filled
      spares.push(buffer)
      yield new Uint8Array(buffer, 0, filled)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function nameOf(blob: Blob): string {
  return 'name' in blob && typeof blob.name === 'string' ? blob.name : 'blob'
}
