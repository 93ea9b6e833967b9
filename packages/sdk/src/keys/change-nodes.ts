import { CairnError, keyNodePauseMs, keyNodeRetryMs, keyNodeTries, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { nodeNumbers } from './call-node.ts'

/** What became of a change on the five nodes. */
export type ChangeResult = {
  /** Nodes that have it. */
  done: number[]
  /** Nodes that have it not yet, and why: make the same call again, or `repairKey`. */
  pending: { node: number; error: CairnError }[]
  /** Whether it is in force: three nodes have it, so the two others can neither give the key any more nor keep it back. */
  isEffective: boolean
  /** How many of the nodes that have it may lie without undoing it: 0 at three nodes, 1 at four, 2 at five. */
  withstands: number
  /** Ids of conditions that everyone meets, such as `>= 0`: they were set, and open the file to anyone. */
  openConditions?: number[]
}

/** The ids that three nodes name, with the result they belong to. @param told what each node named */
export function withOpenConditions(result: ChangeResult, told: readonly (readonly number[])[]): ChangeResult {
  const ids = [...new Set(told.flat())].filter(
    (id) => told.filter((one) => one.includes(id)).length >= keyShardThreshold,
  )
  return ids.length === 0 ? result : { ...result, openConditions: ids }
}

/** What a change amounts to by the nodes that have it. */
export function describeChange(done: readonly number[], pending: ChangeResult['pending']): ChangeResult {
  const isEffective = done.length >= keyShardThreshold
  const sorted = [...done].sort((a, b) => a - b)
  return { done: sorted, pending, isEffective, withstands: Math.max(0, done.length - keyShardThreshold) }
}

export type ChangeOptions = {
  signal?: AbortSignal
  /** Pause between the calls in ms, in place of the network's. */
  pauseMs?: number
  /** Pause before nodes that failed are tried again, in ms. @defaultValue 1000 */
  retryMs?: number
  /** Told where the change is: which node is asked, and what became of it. */
  onNode?: (node: number, state: 'asked' | 'done' | 'failed') => void
}

/**
 * Makes the five calls of a change in order, with the pause that the network states. A node that fails does not stop the
 * others; it is tried again after them.
 * @throws CairnError what all nodes refuse with; CHANGE_INCOMPLETE with the nodes in `details` when fewer than three have it
 */
export async function changeNodes(
  client: Client,
  callOne: (node: number) => Promise<unknown>,
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const pauseMs = options.pauseMs ?? client.network.keyNodePauseMs ?? keyNodePauseMs
  const retryMs = options.retryMs ?? keyNodeRetryMs
  const done: number[] = []
  let pending: { node: number; error: CairnError }[] = []
  let waiting: readonly number[] = nodeNumbers
  for (let tries = 1; tries <= keyNodeTries && waiting.length > 0; tries++) {
    if (tries > 1 && retryMs > 0) await pause(retryMs, options.signal)
    pending = []
    for (const [i, node] of waiting.entries()) {
      if (i > 0 && pauseMs > 0) await pause(pauseMs, options.signal)
      options.onNode?.(node, 'asked')
      try {
        await callOne(node)
        done.push(node)
        options.onNode?.(node, 'done')
      } catch (error) {
        const fault = CairnError.from(error)
        if (fault.code === 'ABORTED') throw fault
        pending.push({ node, error: fault })
        options.onNode?.(node, 'failed')
      }
    }
    // Two nodes that are down keep nobody waiting: the change holds, and is finished when they are back.
    if (done.length >= keyShardThreshold) break
    waiting = pending.filter(({ error }) => error.retry || error.code === 'NO_SESSION').map(({ node }) => node)
    if (waiting.length < pending.length && done.length === 0) break
  }
  const result = describeChange(done, pending)
  if (result.isEffective) return result
  const refusal = pending.find(({ error }) => !error.retry && error.code !== 'NO_SESSION')
  if (done.length === 0 && refusal !== undefined) throw refusal.error
  throw new CairnError('CHANGE_INCOMPLETE', {
    details: { done: result.done, pending: pending.map(({ node, error }) => ({ node, code: error.code })) },
    cause: pending[0]?.error,
  })
}
