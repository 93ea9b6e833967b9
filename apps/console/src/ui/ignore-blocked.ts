/**
 * Ignores that the browser refuses to store something: there is no space, or it blocks the storage, locks and caches of a page,
 * which then works without them.
 * @throws any other error
 */
export function ignoreBlocked(error: unknown): undefined {
  if (!(error instanceof DOMException)) throw error
  return undefined
}
