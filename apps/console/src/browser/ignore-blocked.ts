/**
 * Ignores errors of browser storage: there is no space left, or the browser blocks storage, locks and caches. The page works
 * without them.
 * @throws any other error
 */
export function ignoreBlocked(error: unknown): undefined {
  if (!(error instanceof DOMException)) throw error
  return undefined
}
