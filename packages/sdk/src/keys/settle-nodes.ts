import { CairnError, keyShardThreshold } from '@cairn/protocol'

/** Result of a call to one node. */
export type Answer<T> = { value: T } | { error: CairnError }

export type SettleOptions = {
  /** Time in ms to wait for the others once three have answered correctly; no limit if absent. */
  lateMs?: number
  signal?: AbortSignal | undefined
}

/**
 * Calls nodes concurrently and returns the answers in node order.
 * @param call receives a signal that also aborts once its answer is too late: a node that never answers would keep a program from
 * exiting
 */
export async function settleNodes<T>(
  nodes: readonly number[],
  call: (node: number, signal: AbortSignal) => Promise<T>,
  { lateMs, signal }: SettleOptions = {},
): Promise<Answer<T>[]> {
  const over = new AbortController()
  const ended = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
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
        answers[i] = { value: await call(node, ended) }
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
  const inTime = [...answers]
  over.abort()
  return inTime
}
