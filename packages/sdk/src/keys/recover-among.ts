import { agreedSet, type FoundKey, findKey, type ShardAnswer } from '@cairn/crypto'
import { CairnError, keyShardCount, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { isKeyOfFile } from '../download/is-key-of-file.ts'
import { type Answer, type ConfirmKey, type Failure, findWrongNodes, refusalOf, shardsOf } from './shard-answers.ts'

/**
 * Finds a key among at least three shards that are not all of one set, or have no commitments. Loads on demand: most keys are of
 * one set. Without commitments, fewer than five shards that match are confirmed by the file, even if a node returns commitments
 * of its own.
 * @throws CairnError SHARDS_INCONSISTENT; NOT_ENOUGH_SHARDS while a node without an answer may have the missing shard
 */
export async function recoverAmong(
  client: Client,
  cid: string,
  answers: readonly Answer[],
  failures: readonly Failure[],
  { confirm: ownConfirm, signal }: { confirm?: ConfirmKey; signal?: AbortSignal },
): Promise<FoundKey> {
  const current = shardsOf(answers)
  const bare = current.filter(({ set }) => set === undefined)
  const isMixed = new Set(current.map(({ set }) => set?.id)).size > 1
  const candidates = isMixed ? [...setsAmong(answers), current, bare] : [current]
  const confirmByFile = (masterKey: string) => isKeyOfFile(client, cid, masterKey, signal)
  let failed: unknown
  for (const shards of candidates) {
    const isBare = shards.every(({ set }) => set === undefined)
    try {
      const { masterKey, wrongNodes } = await findKey(shards, {
        confirm: ownConfirm ?? (isBare ? confirmByFile : undefined),
      })
      const set = agreedSet(shards)
      if (set !== undefined) return { masterKey, wrongNodes: findWrongNodes(answers, set) }
      const others = current.flatMap(({ node }) => (shards.some((one) => one.node === node) ? [] : [node]))
      return { masterKey, wrongNodes: [...wrongNodes, ...others].sort((a, b) => a - b) }
    } catch (error) {
      if (CairnError.is(error, 'ABORTED')) throw error
      failed ??= error
    }
  }
  const finals = failures.filter(({ error: { code } }) => code === 'ACCESS_DENIED' || code === 'KEY_NOT_FOUND')
  throw current.length + finals.length < keyShardCount ? refusalOf(failures, keyShardThreshold - 1) : failed
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
