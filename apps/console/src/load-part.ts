/** Time for the next page to come, in ms: after it, users are still on this one. */
const leaveMs = 10_000

let leftAt: number | undefined

/**
 * Loads a part of the console. When users leave the page, Firefox fails the parts that are still loading, and the router reloads
 * a page whose part is missing, which would cancel the navigation: such a part is tried again if the page is still there.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  // Not when the module is loaded: the build reads the list of pages outside of a browser.
  addEventListener('beforeunload', noteLeaving)
  try {
    return await load()
  } catch (error) {
    const restMs = leftAt === undefined ? 0 : leftAt + leaveMs - performance.now()
    if (restMs <= 0) throw error
    await new Promise((resolve) => setTimeout(resolve, restMs))
    return load()
  }
}

/** One function, so that it is added once. */
function noteLeaving(): void {
  leftAt = performance.now()
}
