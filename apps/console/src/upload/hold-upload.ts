/**
 * Locks an upload for this tab, so that other tabs of this browser skip it. Undefined if another tab has it. The
 * browser releases the lock when the tab closes or reloads.
 */
export function holdUpload(id: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const done = Promise.withResolvers<void>()
    navigator.locks
      .request(`cairn-upload-${id}`, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(undefined)
          return undefined
        }
        resolve(() => done.resolve())
        return done.promise
      })
      .catch((error: unknown) => {
        // Browsers that block the storage of a page also refuse locks. Other tabs cannot find the upload then, so no lock is
        // needed.
        if (error instanceof DOMException && error.name === 'SecurityError') resolve(() => undefined)
        else reject(error)
      })
  })
}

/** Time in ms for a closed tab to return: after a reload, it continues its uploads itself. */
const returnMs = 5_000

/** Waits until no other tab holds an upload, because it ended or the tab was closed, and locks it as {@link holdUpload} does. */
export async function holdUploadLater(id: string): Promise<() => void> {
  for (;;) {
    await navigator.locks.request(`cairn-upload-${id}`, () => undefined)
    await new Promise((resolve) => setTimeout(resolve, returnMs))
    const release = await holdUpload(id)
    if (release !== undefined) return release
  }
}
