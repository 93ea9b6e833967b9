import { CairnError } from '@cairn/sdk'

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another's.
  interface Window {
    /** Chromium only; other browsers save a file only once it is complete. */
    showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another's.
  interface FileSystemFileHandle {
    /** Chromium. */
    remove?: () => Promise<void>
  }
}

/**
 * Asks where to save a file. Call it from a user action.
 * @returns undefined if the browser cannot write to a file that the user chose
 * @throws CairnError ABORTED
 */
export async function chooseTarget(suggestedName: string): Promise<FileSystemFileHandle | undefined> {
  try {
    return await window.showSaveFilePicker?.({ suggestedName })
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw new CairnError('ABORTED', { cause })
    throw cause
  }
}

/** Pauses in ms before each attempt: the writer of a terminated worker closes a moment later. */
const removePausesMs = [0, 100, 500, 2_000]

/** Removes the empty file that the browser created when the user chose it. A file with content is kept. */
export async function removeEmptyTarget(target: FileSystemFileHandle): Promise<void> {
  for (const pauseMs of removePausesMs) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    try {
      if ((await target.getFile()).size === 0) await target.remove?.()
      return
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
    }
  }
}
