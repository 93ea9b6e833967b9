import { CairnError } from '@cairn/sdk'

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another's.
  interface Window {
    /** Chromium; other browsers save a file only when all of it is there. */
    showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
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
