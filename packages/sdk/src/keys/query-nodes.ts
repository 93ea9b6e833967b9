import { CairnError, keyShardThreshold } from '@cairn/protocol'
import { nodeNumbers } from './call-node.ts'
import { settleNodes } from './settle-nodes.ts'

export const defaultLateMs = 1_000

export type NodeQueryOptions = {
  /** Time in ms to wait for other nodes once three have answered. Defaults to 1,000. */
  lateMs?: number
  signal?: AbortSignal
}

/**
 * Sends the same query to all five nodes and returns their answers, so that two lying nodes do not decide the result.
 * @throws CairnError KEY_NODES_UNAVAILABLE if fewer than three answer, the error of a node that is not worth a retry, ABORTED
 */
export async function queryNodes<T>(
  ask: (node: number, signal: AbortSignal) => Promise<T>,
  { lateMs = defaultLateMs, signal }: NodeQueryOptions,
): Promise<{ node: number; value: T }[]> {
  const answers = await settleNodes(nodeNumbers, ask, { lateMs, signal })
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  const values: { node: number; value: T }[] = []
  const errors: CairnError[] = []
  for (const [i, answer] of answers.entries()) {
    if ('value' in answer) values.push({ node: i + 1, value: answer.value })
    else errors.push(answer.error)
  }
  if (values.length >= keyShardThreshold) return values
  throw errors.find(({ retry }) => !retry) ?? new CairnError('KEY_NODES_UNAVAILABLE', { cause: errors[0] })
}
