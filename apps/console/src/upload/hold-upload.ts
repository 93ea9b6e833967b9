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
      .catch(reject)
  })
}
