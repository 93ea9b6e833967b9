import { fitsCommitment, type ShardAnswer } from '@cairn/crypto'
import { CairnError, type CallResult, keyShardThreshold, type retrieveShard, type ShardSet } from '@cairn/protocol'
import { groupBy } from './group-by.ts'

/** Verifies that a key is the key of a file. */
export type ConfirmKey = (masterKey: string) => boolean | Promise<boolean>

type Retrieved = CallResult<typeof retrieveShard>
/** What one node answered to the request for its shard. */
export type Answer = { node: number; value: Retrieved } | { node: number; error: CairnError }
/** A node that returned no shard. */
export type Failure = Extract<Answer, { error: CairnError }>

/** The shards that nodes have in force. */
export function shardsOf(answers: readonly Answer[]): ShardAnswer[] {
  return answers.flatMap((answer) => {
    if ('error' in answer) return []
    const { node, value } = answer
    return [{ node, shard: value.payload, ...(value.set === undefined ? {} : { set: value.set }) }]
  })
}

/** Nodes that answered without a shard of a set with its commitments, neither active nor pending. */
export function findWrongNodes(answers: readonly Answer[], { id }: ShardSet): number[] {
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
export function refusalOf(failures: readonly Failure[], shards: number): CairnError {
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
