import { CairnError } from '@cairn/protocol'

/** What came of asking one node. */
export type Answer<T> = { value: T } | { error: CairnError }

/** Asks nodes at once; the answers are in the order of the nodes. */
export function askNodes<T>(nodes: readonly number[], ask: (node: number) => Promise<T>): Promise<Answer<T>[]> {
  return Promise.all(
    nodes.map(async (node): Promise<Answer<T>> => {
      try {
        return { value: await ask(node) }
      } catch (error) {
        return { error: CairnError.from(error) }
      }
    }),
  )
}
