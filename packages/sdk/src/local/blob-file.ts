import { CairnError } from '@cairn/protocol'
import type { LocalFile } from '../local-source.ts'

/** Bytes per read: smaller reads mean more messages to the browser process that stores the bytes. */
const readBytes = 2 * 1024 * 1024

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
 * Yields the bytes of a File or Blob.
 * @throws CairnError FILE_UNREADABLE if it was changed or removed after it was chosen
 */
export async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += readBytes) {
    let bytes: ArrayBuffer
    try {
      bytes = await blob.slice(at, at + readBytes).arrayBuffer()
    } catch (cause) {
      throw new CairnError('FILE_UNREADABLE', {
        message: `Cannot read ${nameOf(blob)}`,
        hint: 'The file was changed or removed after it was selected. Select it again.',
        cause,
      })
    }
    yield new Uint8Array(bytes)
  }
}

function nameOf(blob: Blob): string {
  return 'name' in blob && typeof blob.name === 'string' ? blob.name : 'blob'
}
