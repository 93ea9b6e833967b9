import { CairnError, keyShardThreshold } from '@cairn/protocol'

/** What came of asking one node. */
export type Answer<T> = { value: T } | { error: CairnError }

/**
 * Asks nodes at once; the answers are in the order of the nodes.
 * @param lateMs how long the others are waited for once three have answered rightly; for ever where absent
 */
export async function askNodes<T>(
  nodes: readonly number[],
  ask: (node: number) => Promise<T>,
  lateMs?: number,
): Promise<Answer<T>[]> {
  const answers: Answer<T>[] = nodes.map(() => ({ error: new CairnError('TIMEOUT') }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let leave = () => {}
  const late = new Promise<void>((resolve) => {
    leave = resolve
  })
  let good = 0
  const all = Promise.all(
    nodes.map(async (node, i) => {
      try {
        answers[i] = { value: await ask(node) }
        good++
        if (good === keyShardThreshold && lateMs !== undefined) timer = setTimeout(leave, lateMs)
      } catch (error) {
        answers[i] = { error: CairnError.from(error) }
      }
    }),
  )
  await Promise.race([all, late])
  clearTimeout(timer)
  // What comes later is of no account any more.
  return [...answers]
}
