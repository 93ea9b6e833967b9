/** Time for the next page to come, in ms: after it, users are still on this one. */
const leaveMs = 10_000

let leftAt: number | undefined

/** A part of the console was not loaded, because the service does not answer. */
export class PartNotLoaded extends Error {
  override readonly name = 'PartNotLoaded'
}

/**
 * Loads a part of the console. When users leave the page, Firefox fails the parts that are still loading, and the router reloads
 * a page whose part is missing, which would cancel the navigation: such a part is tried again if the page is still there.
 * @throws PartNotLoaded if the service does not answer; the error of the browser if it does, as after an update of the console
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  // Not when the module is loaded: the build reads the list of pages outside of a browser.
  addEventListener('beforeunload', noteLeaving)
  try {
    return await loadUnlessLeft(load)
  } catch (error) {
    if (!(error instanceof TypeError) || (await isAnswering())) throw error
    throw new PartNotLoaded('The service did not answer', { cause: error })
  }
}

async function loadUnlessLeft<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const restMs = leftAt === undefined ? 0 : leftAt + leaveMs - performance.now()
    if (restMs <= 0) throw error
    await new Promise((resolve) => setTimeout(resolve, restMs))
    return load()
  }
}

/** Whether the service that has the parts answers at all. */
export function isAnswering(): Promise<boolean> {
  return fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}

/** One function, so that it is added once. */
function noteLeaving(): void {
  leftAt = performance.now()
}
