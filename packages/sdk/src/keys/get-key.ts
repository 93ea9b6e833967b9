import { agreedSet, findKey, fitsCommitment, type ShardAnswer } from '@cairn/crypto'
import { CairnError, type CallResult, keyShardThreshold, retrieveShard, type ShardSet } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { groupBy } from './group-by.ts'

export type GetKeyOptions = {
  signal?: AbortSignal
  /** Limit per node in ms. Defaults to 8 seconds. */
  timeoutMs?: number
  /**
   * Time in ms to read further answers once the key is certain: a late node with a different shard is still reported. 0
   * stops at the first three that match.
   * @defaultValue 100
   */
  lateMs?: number
  /** Values that conditions require at read time, by `{condition id}.{name}`. */
  dynamicData?: Record<string, unknown>
  /**
   * Verifies that a key is the key of the file. Required if the shards of a legacy file have no commitments and not all
   * nodes answer.
   */
  confirm?: (masterKey: string) => boolean | Promise<boolean>
}

export type RecoveredKey = {
  masterKey: string
  /**
   * Nodes that returned a shard of another key, or a correct one without its commitments. They missed a change: run
   * `repairKey`, or report them to their operators.
   */
  wrongNodes: number[]
  /** Nodes that returned no shard, with the reason. */
  failedNodes: { node: number; code: string }[]
}

type Retrieved = CallResult<typeof retrieveShard>
type Answer = { node: number; value: Retrieved } | { node: number; error: CairnError }

/** Limit in ms for slower nodes once three have given the same answer. */
const patienceMs = 2_000
const defaultLateMs = 100

/**
 * Recovers the key of a file. Calls all five nodes concurrently and combines the first three shards that match. Two
 * nodes that are down, slow or lying cost at most a tenth of a second; those that answer in time are reported.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CONDITION_UNKNOWN, NOT_ENOUGH_SHARDS, SHARDS_INCONSISTENT,
 *   NO_SESSION
 */
export async function getKey(client: Client, cid: string, options: GetKeyOptions = {}): Promise<RecoveredKey> {
  const { address } = sessionOf(client)
  const { dynamicData, signal, timeoutMs, confirm } = options
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const queryNode = async (node: number): Promise<Answer> => {
    try {
      const body = { address, cid, withAlternatives: true, ...(dynamicData === undefined ? {} : { dynamicData }) }
      const input = { params: { node: String(node) }, body }
      return { node, value: await callWithSession(client, retrieveShard, node, input, { signal: ended, timeoutMs }) }
    } catch (error) {
      return { node, error: CairnError.from(error) }
    }
  }
  const answers: Answer[] = []
  try {
    const { lateMs = defaultLateMs } = options
    for await (const answer of asSettled(nodeNumbers.map(queryNode), () => hasEnough(answers), lateMs))
      answers.push(answer)
  } finally {
    stop.abort()
  }
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  return conclude(answers, confirm)
}

/** Three matching shards of a set that three nodes agree on are enough; a set named by a single node is not. */
function hasEnough(answers: readonly Answer[]): boolean {
  const shards = shardsOf(answers, 'current')
  const set = agreedSet(shards)
  if (set === undefined) return false
  return shards.filter(({ node, shard }) => fitsCommitment(set, node, shard)).length >= set.threshold
}

/**
 * Yields answers as they arrive. Ends when all are there, or `lateMs` after `isEnough` is true. Without commitments it
 * waits for every node, with a limit once three have answered.
 */
async function* asSettled(pending: Promise<Answer>[], isEnough: () => boolean, lateMs: number): AsyncGenerator<Answer> {
  const pendingAnswers = new Map(pending.map((promise, i) => [i, promise.then((answer) => ({ i, answer }))]))
  let successCount = 0
  let closing: ReturnType<typeof after> | undefined
  try {
    while (pendingAnswers.size > 0) {
      const patience = closing === undefined && successCount >= keyShardThreshold ? after(patienceMs) : undefined
      const limit = closing ?? patience
      const next = await Promise.race([...pendingAnswers.values(), ...(limit === undefined ? [] : [limit.over])])
      patience?.clear()
      if (next === undefined) return
      pendingAnswers.delete(next.i)
      successCount += 'value' in next.answer ? 1 : 0
      yield next.answer
      if (closing !== undefined || !isEnough()) continue
      if (lateMs === 0) return
      closing = after(lateMs)
    }
  } finally {
    closing?.clear()
  }
}

function after(ms: number): { over: Promise<undefined>; clear(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return { over, clear: () => clearTimeout(timer) }
}

function shardsOf(answers: readonly Answer[], which: 'current' | number): ShardAnswer[] {
  return answers.flatMap((answer) => {
    if ('error' in answer) return []
    const { node, value } = answer
    const candidate = which === 'current' ? value : value.alternatives?.[which]
    return candidate === undefined
      ? []
      : [{ node, shard: candidate.payload, ...(candidate.set === undefined ? {} : { set: candidate.set }) }]
  })
}

async function conclude(answers: readonly Answer[], confirm: GetKeyOptions['confirm']): Promise<RecoveredKey> {
  const failures = answers.flatMap((answer) => ('error' in answer ? [answer] : []))
  const failedNodes = failures.map(({ node, error }) => ({ node, code: error.code }))
  const current = shardsOf(answers, 'current')
  if (current.length < keyShardThreshold) throw refusalOf(failures, current.length)
  const isMixed = new Set(current.map(({ set }) => set?.id)).size > 1
  const candidates = isMixed ? [...setsAmong(answers), current] : [current]
  let failed: unknown
  for (const shards of candidates) {
    try {
      const { masterKey, wrongNodes } = await findKey(shards, { confirm })
      const set = agreedSet(shards)
      return { masterKey, wrongNodes: set === undefined ? wrongNodes : findWrongNodes(answers, set), failedNodes }
    } catch (error) {
      failed ??= error
    }
  }
  throw failed
}

/** After an interrupted change of the key, nodes store two sets: any three shards of one set form a key. */
function setsAmong(answers: readonly Answer[]): ShardAnswer[][] {
  const byId = new Map<string, ShardAnswer[]>()
  for (const answer of answers) {
    if ('error' in answer) continue
    const { payload, set, alternatives = [] } = answer.value
    for (const candidate of [{ payload, set }, ...alternatives]) {
      if (candidate.set === undefined) continue
      byId.set(candidate.set.id, [
        ...(byId.get(candidate.set.id) ?? []),
        { node: answer.node, shard: candidate.payload, set: candidate.set },
      ])
    }
  }
  return [...byId.values()].filter((shards) => shards.length >= keyShardThreshold)
}

/** Nodes that answered without a shard of a set with its commitments, neither active nor pending. */
function findWrongNodes(answers: readonly Answer[], { id }: ShardSet): number[] {
  const wrong = answers.flatMap((answer) => {
    if ('error' in answer) return []
    const { node, value } = answer
    const isRight = [value, ...(value.alternatives ?? [])].some(
      ({ payload, set }) => set?.id === id && fitsCommitment(set, node, payload),
    )
    return isRight ? [] : [node]
  })
  return wrong.sort((a, b) => a - b)
}

/** The majority counts: two rejections next to three offline nodes are not a rejection. */
function refusalOf(failures: readonly { node: number; error: CairnError }[], shards: number): CairnError {
  const byCode = new Map(groupBy(failures, ({ error }) => error.code))
  for (const code of [
    'ACCESS_DENIED',
    'KEY_NOT_FOUND',
    'CONDITION_UNKNOWN',
    'INVALID_SIGNATURE',
    'SESSION_EXPIRED',
    'NO_SESSION',
    'NO_KEY_NODES',
    'RATE_LIMITED',
  ] as const) {
    const sameCode = byCode.get(code)
    if (sameCode !== undefined && sameCode.length >= keyShardThreshold && sameCode[0] !== undefined)
      return sameCode[0].error
  }
  return new CairnError('NOT_ENOUGH_SHARDS', {
    details: { shards, nodes: failures.map(({ node, error }) => ({ node, code: error.code, message: error.message })) },
    cause: failures[0]?.error,
  })
}
