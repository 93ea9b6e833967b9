/** Time for a download to begin, in ms. */
const beginMs = 1_000

let expectedAt = Number.NEGATIVE_INFINITY

/** Call it as the page is about to save a file by its address: browsers leave a page for that, until they know that they stay. */
export function expectDownload(): void {
  expectedAt = performance.now()
}

/** Returns whether the browser leaves the page only to save a file. */
export function isDownloadExpected(): boolean {
  return performance.now() - expectedAt < beginMs
}
