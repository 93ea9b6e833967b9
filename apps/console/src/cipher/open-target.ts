import { CairnError } from '@cairn/sdk'

/** A file that a worker writes: the one that the user chose, or one in the storage of the browser. */
export type Target = { write(bytes: Uint8Array): Promise<void>; close(): Promise<void>; abort(): Promise<void> }

/**
 * Opens a file to write. Until it is closed, an existing file does not change.
 * @throws CairnError FILE_TOO_LARGE if there is no space, FILE_UNREADABLE if it cannot be written for another reason, such as a
 *   folder that was removed; so do `write` and `close`
 */
export async function openTarget(handle: FileSystemFileHandle): Promise<Target> {
  const file = await named(handle.createWritable())
  return {
    write: (bytes) => named(file.write(new Uint8Array(bytes))),
    close: () => named(file.close()),
    abort: () => file.abort(),
  }
}

async function named<T>(step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause
    if (cause.name === 'QuotaExceededError') throw new CairnError('FILE_TOO_LARGE', { cause })
    throw new CairnError('FILE_UNREADABLE', { message: 'Cannot write the file', cause })
  }
}
