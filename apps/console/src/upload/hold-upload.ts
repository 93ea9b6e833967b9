/**
 * Takes an upload for this tab: another tab of this browser leaves it alone for as long. Undefined where another has it. The
 * browser gives it back when the tab ends or is loaded anew.
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
