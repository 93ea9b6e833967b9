import { CairnError, keyShardThreshold } from '@cairn/protocol'

/** Result of a call to one node. */
export type Answer<T> = { value: T } | { error: CairnError }

/**
 * Calls nodes concurrently and returns the answers in node order.
 * @param lateMs time in ms to wait for the others once three have answered correctly; no limit if absent
 */
export async function settleNodes<T>(
  nodes: readonly number[],
  call: (node: number) => Promise<T>,
  lateMs?: number,
): Promise<Answer<T>[]> {
  const answers: Answer<T>[] = nodes.map(() => ({ error: new CairnError('TIMEOUT') }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopWaiting = () => {}
  const late = new Promise<void>((resolve) => {
    stopWaiting = resolve
  })
  let successCount = 0
  const all = Promise.all(
    nodes.map(async (node, i) => {
      try {
        answers[i] = { value: await call(node) }
        successCount++
        if (successCount === keyShardThreshold && lateMs !== undefined) timer = setTimeout(stopWaiting, lateMs)
      } catch (error) {
        answers[i] = { error: CairnError.from(error) }
      }
    }),
  )
  await Promise.race([all, late])
  clearTimeout(timer)
  // Later answers are ignored.
  return [...answers]
}
