import { defaultLateMs, type NodeQueryOptions } from './query-nodes.ts'

/** Maximum number of pages that are read from one node beyond those read from all nodes. Grows by one with each of the latter. */
const maxPagesAhead = 50
/** Total time for these pages, as a multiple of `lateMs`. */
const lateFactor = 5

/**
 * Creates a function that lets nodes with more rows than others catch up: strangers can add rows to the lists of two nodes. A
 * node that sends too much or too slowly, or fails, keeps the rows that it sent and is not read further.
 * @throws CairnError ABORTED, from the function that it returns
 */
export function createReadAhead({ lateMs = defaultLateMs, signal }: NodeQueryOptions) {
  const pageCounts = new Map<number, number>()
  let maxPages = maxPagesAhead
  /** @param readPage reads the next page of a node; returns false without a request if it sent enough */
  return async function readAhead<T extends { node: number }>(
    lists: readonly T[],
    readPage: (list: T, signal: AbortSignal) => Promise<boolean>,
  ): Promise<void> {
    maxPages++
    const limit = AbortSignal.timeout(lateMs * lateFactor)
    const ended = signal === undefined ? limit : AbortSignal.any([limit, signal])
    await Promise.all(
      lists.map(async (list) => {
        try {
          let count = pageCounts.get(list.node) ?? 0
          while (count < maxPages && (await readPage(list, ended))) pageCounts.set(list.node, ++count)
        } catch (error) {
          if (signal?.aborted) throw error
          pageCounts.set(list.node, Number.POSITIVE_INFINITY)
        }
      }),
    )
  }
}
