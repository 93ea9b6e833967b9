import { agreedSet, canonicalCid, findKey, fitsCommitment } from '@cairn/crypto'
import { CairnError, isCid, keyShardThreshold, retrieveShard, type ShardSet } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type Answer, type ConfirmKey, findWrongNodes, refusalOf, shardsOf } from './shard-answers.ts'

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
   * Verifies that a key is the key of the file, if its shards have no commitments, as those of published clients, and not
   * all nodes return one. By default, the file is downloaded and decrypted.
   */
  confirm?: ConfirmKey
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

/** Limit in ms for slower nodes once three have given the same answer. */
const patienceMs = 2_000
const defaultLateMs = 100

/**
 * Recovers the key of a file. Calls all five nodes concurrently and combines the first three shards that match. Two
 * nodes that are down, slow or lying cost at most a tenth of a second; those that answer in time are reported.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CONDITION_UNKNOWN, NOT_ENOUGH_SHARDS, SHARDS_INCONSISTENT (once all
 *   five answered), NO_SESSION, INVALID_CID
 */
export async function getKey(client: Client, cid: string, options: GetKeyOptions = {}): Promise<RecoveredKey> {
  const { address } = sessionOf(client)
  const { dynamicData, signal, timeoutMs } = options
  const keyCid = isCid(cid) ? cid : canonicalCid(cid)
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const queryNode = async (node: number): Promise<Answer> => {
    try {
      const body = {
        address,
        cid: keyCid,
        withAlternatives: true,
        ...(dynamicData === undefined ? {} : { dynamicData }),
      }
      const input = { params: { node: String(node) }, body }
      return { node, value: await callWithSession(client, retrieveShard, node, input, { signal: ended, timeoutMs }) }
    } catch (error) {
      return { node, error: CairnError.from(error) }
    }
  }
  const answers: Answer[] = []
  try {
    const { lateMs = defaultLateMs } = options
    for await (const answer of asSettled(nodeNumbers.map(queryNode), () => findSet(answers) !== undefined, lateMs))
      answers.push(answer)
  } finally {
    stop.abort()
  }
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  return conclude(client, cid, answers, options)
}

/** Returns the set that three nodes agree on, once three have a matching shard; one named by a single node is not enough. */
function findSet(answers: readonly Answer[]): ShardSet | undefined {
  const shards = shardsOf(answers)
  const set = agreedSet(shards)
  if (set === undefined) return undefined
  return shards.filter(({ node, shard }) => fitsCommitment(set, node, shard)).length >= set.threshold ? set : undefined
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

async function conclude(
  client: Client,
  cid: string,
  answers: readonly Answer[],
  options: GetKeyOptions,
): Promise<RecoveredKey> {
  const failures = answers.flatMap((answer) => ('error' in answer ? [answer] : []))
  const failedNodes = failures.map(({ node, error }) => ({ node, code: error.code }))
  const current = shardsOf(answers)
  if (current.length < keyShardThreshold) throw refusalOf(failures, current.length)
  const set = findSet(answers)
  if (set !== undefined) {
    const { masterKey } = await findKey(current)
    return { masterKey, wrongNodes: findWrongNodes(answers, set), failedNodes }
  }
  const { recoverAmong } = await import('./recover-among.ts')
  return { ...(await recoverAmong(client, cid, answers, failures, options)), failedNodes }
}
