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

/**
 * Yields the bytes of a File or Blob. A stream costs browsers half of what reads of its parts do: fewer messages to the process
 * that stores the bytes.
 * @throws CairnError FILE_UNREADABLE if it was changed or removed after it was chosen
 */
export async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  try {
    let readBytes = 0
    for await (const piece of iterateStream(blob.stream())) {
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

function nameOf(blob: Blob): string {
  return 'name' in blob && typeof blob.name === 'string' ? blob.name : 'blob'
}
