import { agreedSet, findKey, fitsCommitment, type ShardAnswer } from '@cairn/crypto'
import { CairnError, type CallResult, keyShardThreshold, retrieveShard, type ShardSet } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { groupBy } from './group-by.ts'

export type GetKeyOptions = {
  signal?: AbortSignal
  /** Limit for each node in ms; 8 seconds unless told. */
  timeoutMs?: number
  /**
   * How long answers are still read once the key is certain, in ms: a node that answers late with something else is
   * named, too. 0 ends with the first three that fit.
   * @defaultValue 100
   */
  lateMs?: number
  /** Values that conditions ask for at the time of reading, by `{condition id}.{name}`. */
  dynamicData?: Record<string, unknown>
  /** Whether a key is the file's: needed where a legacy file's shards have no commitments and not all nodes answer. */
  confirm?: (masterKey: string) => boolean | Promise<boolean>
}

export type RecoveredKey = {
  masterKey: string
  /**
   * Nodes that gave a shard of something else, or a right one without its commitments: they missed a change, which `repairKey`
   * finishes, or their operators should be told.
   */
  wrongNodes: number[]
  /** Nodes that gave none, and why. */
  failedNodes: { node: number; code: string }[]
}

type Retrieved = CallResult<typeof retrieveShard>
type Answer = { node: number; value: Retrieved } | { node: number; error: CairnError }

/** Nodes that are slower than this, once three have answered alike, are not waited for. */
const patienceMs = 2_000
const defaultLateMs = 100

/**
 * Recovers the key of a file: asks all five nodes at once and takes the first three shards that fit together. Two nodes that
 * are down, slow or lying cost a tenth of a second at most, and are named if they answer within it.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CONDITION_UNKNOWN, NOT_ENOUGH_SHARDS, SHARDS_INCONSISTENT, NO_SESSION
 */
export async function getKey(client: Client, cid: string, options: GetKeyOptions = {}): Promise<RecoveredKey> {
  const { address } = sessionOf(client)
  const { dynamicData, signal, timeoutMs, confirm } = options
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const ask = async (node: number): Promise<Answer> => {
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
    for await (const answer of asTheyCome(nodeNumbers.map(ask), () => enough(answers), lateMs)) answers.push(answer)
  } finally {
    stop.abort()
  }
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  return conclude(answers, confirm)
}

/** Three shards that fit a set which three nodes name alike are enough; one that only names it is not. */
function enough(answers: readonly Answer[]): boolean {
  const shards = shardsOf(answers, 'current')
  const set = agreedSet(shards)
  if (set === undefined) return false
  return shards.filter(({ node, shard }) => fitsCommitment(set, node, shard)).length >= set.threshold
}

/**
 * Gives answers in the order they come in; ends when all are there, or `lateMs` after `isEnough` says so. Without commitments
 * every node is waited for, but not for ever once three have answered.
 */
async function* asTheyCome(
  pending: Promise<Answer>[],
  isEnough: () => boolean,
  lateMs: number,
): AsyncGenerator<Answer> {
  const waiting = new Map(pending.map((promise, i) => [i, promise.then((answer) => ({ i, answer }))]))
  let given = 0
  let closing: ReturnType<typeof after> | undefined
  try {
    while (waiting.size > 0) {
      const patience = closing === undefined && given >= keyShardThreshold ? after(patienceMs) : undefined
      const limit = closing ?? patience
      const next = await Promise.race([...waiting.values(), ...(limit === undefined ? [] : [limit.over])])
      patience?.clear()
      if (next === undefined) return
      waiting.delete(next.i)
      given += 'value' in next.answer ? 1 : 0
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
    const one = which === 'current' ? value : value.alternatives?.[which]
    return one === undefined ? [] : [{ node, shard: one.payload, ...(one.set === undefined ? {} : { set: one.set }) }]
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

/** Where a change of the key was cut off, nodes hold two sets: whichever three have is a key. */
function setsAmong(answers: readonly Answer[]): ShardAnswer[][] {
  const byId = new Map<string, ShardAnswer[]>()
  for (const answer of answers) {
    if ('error' in answer) continue
    const { payload, set, alternatives = [] } = answer.value
    for (const one of [{ payload, set }, ...alternatives]) {
      if (one.set === undefined) continue
      byId.set(one.set.id, [...(byId.get(one.set.id) ?? []), { node: answer.node, shard: one.payload, set: one.set }])
    }
  }
  return [...byId.values()].filter((shards) => shards.length >= keyShardThreshold)
}

/** Nodes that answered, and gave no shard of a set with its commitments: neither as the one in force nor beside it. */
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

/** What most nodes say counts: two that deny among three that are down are no refusal. */
function refusalOf(failures: readonly { node: number; error: CairnError }[], shards: number): CairnError {
  const byCode = new Map(groupBy(failures, ({ error }) => error.code))
  for (const code of [
    'ACCESS_DENIED',
    'KEY_NOT_FOUND',
    'CONDITION_UNKNOWN',
    'INVALID_SIGNATURE',
    'SESSION_EXPIRED',
    'NO_KEY_NODES',
    'RATE_LIMITED',
  ] as const) {
    const said = byCode.get(code)
    if (said !== undefined && said.length >= keyShardThreshold && said[0] !== undefined) return said[0].error
  }
  return new CairnError('NOT_ENOUGH_SHARDS', {
    details: { shards, nodes: failures.map(({ node, error }) => ({ node, code: error.code, message: error.message })) },
    cause: failures[0]?.error,
  })
}
