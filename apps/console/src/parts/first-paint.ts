/** Time after which parts load in any case, in ms: a page in a hidden tab is not drawn. */
const maxWaitMs = 2_000

let painted: Promise<void> | undefined

/**
 * Resolves when the page was drawn with content for the first time: what that does not need loads after it, so that it does
 * not compete. @see https://www.w3.org/TR/paint-timing/
 */
export function firstPaint(): Promise<void> {
  painted ??= new Promise((resolve) => {
    new PerformanceObserver((list, watch) => {
      if (list.getEntriesByName('first-contentful-paint').length === 0) return
      watch.disconnect()
      resolve()
    }).observe({ type: 'paint', buffered: true })
    setTimeout(resolve, maxWaitMs)
  })
  return painted
}
