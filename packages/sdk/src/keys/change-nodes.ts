import { CairnError, keyNodePauseMs, keyNodeRetryMs, keyNodeTries, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { nodeNumbers } from './call-node.ts'

/** Outcome of a change on the five nodes. */
export type ChangeResult = {
  /** Nodes that applied it. */
  done: number[]
  /** Nodes that have not applied it yet, with the error. Repeat the call, or use `repairKey`. */
  pending: { node: number; error: CairnError }[]
  /**
   * Whether the change is in force: three nodes applied it, so the other two can neither return nor withhold the key.
   */
  isEffective: boolean
  /** Number of nodes among `done` that may lie without undoing the change: 0 of three nodes, 1 of four, 2 of five. */
  withstands: number
  /** Ids of conditions that everyone meets, such as `>= 0`: they are set, and open the file to anyone. */
  openConditions?: number[]
}

/**
 * Adds the ids that three nodes agree on to the result.
 * @param reported the ids that each node reported
 */
export function withOpenConditions(result: ChangeResult, reported: readonly (readonly number[])[]): ChangeResult {
  const ids = [...new Set(reported.flat())].filter(
    (id) => reported.filter((one) => one.includes(id)).length >= keyShardThreshold,
  )
  return ids.length === 0 ? result : { ...result, openConditions: ids }
}

/** Derives the outcome of a change from the nodes that applied it. */
export function describeChange(done: readonly number[], pending: ChangeResult['pending']): ChangeResult {
  const isEffective = done.length >= keyShardThreshold
  const sorted = [...done].sort((a, b) => a - b)
  return { done: sorted, pending, isEffective, withstands: Math.max(0, done.length - keyShardThreshold) }
}

export type ChangeOptions = {
  signal?: AbortSignal
  /** Pause between the calls in ms. Overrides the value of the network. */
  pauseMs?: number | undefined
  /**
   * Pause in ms before failed nodes are retried.
   * @defaultValue 1000
   */
  retryMs?: number
  /** Called for each node when its call starts and when it ends. */
  onNode?: (node: number, state: 'started' | 'done' | 'failed') => void
}

/**
 * Time in ms that calls may take which fail, before the nodes are called again: those that are silent take all of it, and would
 * again.
 */
const maxFailingMs = 20_000

const mayRetry = ({ error }: { error: CairnError }) => error.retry || error.code === 'NO_SESSION'

/**
 * Makes the five calls of a change in order, with the pause that the network states. A node that fails does not stop
 * the others; it is retried after them, unless those that failed took too long already.
 * @throws CairnError the code that all nodes reject with; CHANGE_INCOMPLETE with the nodes in `details` if fewer than
 *   three applied it
 */
export async function changeNodes(
  client: Client,
  callOne: (node: number) => Promise<unknown>,
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const pauseMs = options.pauseMs ?? client.network.keyNodePauseMs ?? keyNodePauseMs
  const retryMs = options.retryMs ?? keyNodeRetryMs
  const done: number[] = []
  let pending: ChangeResult['pending'] = []
  let waiting: readonly number[] = nodeNumbers
  let failingMs = 0
  for (let tries = 1; tries <= keyNodeTries && waiting.length > 0 && failingMs < maxFailingMs; tries++) {
    if (tries > 1 && retryMs > 0) await pause(retryMs, options.signal)
    // Those that refused stay: they are not called again.
    pending = pending.filter((one) => !mayRetry(one))
    for (const [i, node] of waiting.entries()) {
      if (i > 0 && pauseMs > 0) await pause(pauseMs, options.signal)
      options.onNode?.(node, 'started')
      const startedAt = performance.now()
      try {
        await callOne(node)
        done.push(node)
        options.onNode?.(node, 'done')
      } catch (error) {
        const failure = CairnError.from(error)
        if (failure.code === 'ABORTED') throw failure
        failingMs += performance.now() - startedAt
        pending.push({ node, error: failure })
        options.onNode?.(node, 'failed')
      }
    }
    // Two offline nodes do not delay the caller: the change is in force, and completes when they return.
    if (done.length >= keyShardThreshold) return describeChange(done, pending)
    const refusal = pending.find((one) => !mayRetry(one))
    if (done.length === 0 && refusal !== undefined) throw refusal.error
    waiting = pending.filter(mayRetry).map(({ node }) => node)
  }
  throw new CairnError('CHANGE_INCOMPLETE', {
    details: { done: done.sort(), pending: pending.map(({ node, error }) => ({ node, code: error.code })) },
    cause: pending[0]?.error,
  })
}
