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

/** Bytes that are read together: the cost of a stream in a page grows with the number of its pieces. */
const pieceBytes = 1024 * 1024

/**
 * Yields the bytes of a File or Blob. A stream costs browsers half as much as reading its parts: fewer messages to the process
 * that stores the bytes. A piece is valid until the next but one is read.
 * @throws CairnError FILE_UNREADABLE if it was changed or removed after it was chosen
 */
export async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  try {
    let left = blob.size
    for await (const piece of blob.size > pieceBytes ? readPieces(blob.stream()) : readWhole(blob)) {
      left -= piece.length
      yield piece
    }
    // Firefox reads a file that was cut as it is now.
    if (left) throw new Error(`${left} bytes left`)
  } catch (cause) {
    throw new CairnError('FILE_UNREADABLE', {
      message: `Cannot read ${nameOf(blob)}`,
      hint: 'Select it again.',
      cause,
    })
  }
}

/**
 * Reads a small file at once. Folders have thousands of them, and the buffers of a stream would take a hundred times their size.
 */
async function* readWhole(blob: Blob): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  if (bytes.length > 0) yield bytes
}

async function* readPieces(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  let reader: ReadableStreamBYOBReader
  try {
    reader = stream.getReader({ mode: 'byob' })
  } catch {
    // Not every browser reads into a buffer of the caller.
    return yield* iterateStream(stream)
  }
  // Two buffers, because a transport may still send a piece while it reads the next. New ones would cost more than the reads.
  let buffer = new ArrayBuffer(pieceBytes)
  let other = new ArrayBuffer(pieceBytes)
  let filled = 0
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(buffer, filled))
      if (!value) return
      buffer = value.buffer
      filled += value.length
      if (done ? filled : filled === pieceBytes) {
        yield new Uint8Array(buffer, 0, filled)
        ;[buffer, other] = [other, buffer]
        filled = 0
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function nameOf(blob: Blob): string {
  return 'name' in blob && typeof blob.name === 'string' ? blob.name : 'blob'
}
