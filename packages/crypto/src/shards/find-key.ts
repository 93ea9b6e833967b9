import { CairnError, type KeyShard, keyShardThreshold, type ShardSet } from '@cairn/protocol'
import { fitsCommitment, isWholeSet } from './commit.ts'
import { parseShard, writeScalar } from './group-order.ts'
import { areConsistent, interpolate, type Point } from './recover.ts'

/** Answer of one node. */
export type ShardAnswer = { node: number; shard: KeyShard; set?: ShardSet | undefined }

export type FindKeyOptions = {
  /** A set with trusted commitments, such as one stored next to the file. */
  trustedSet?: ShardSet | undefined
  /**
   * Verifies that a key belongs to the file, if possible: required if shards have no commitments and do not all agree.
   */
  confirm?: ((masterKey: string) => boolean | Promise<boolean>) | undefined
}

export type FoundKey = {
  masterKey: string
  /** Nodes that returned a shard of another key. */
  wrongNodes: number[]
}

type Candidate = Point & { node: number }

/**
 * Finds a key among the answers of nodes, some of which may lie, and reports the liars. Commitments count if they are trusted, or
 * if three nodes returned the same, which two liars cannot. Without them, shards of five agreeing nodes form the key; anything
 * less requires `confirm`.
 * @throws CairnError NOT_ENOUGH_SHARDS, SHARDS_INCONSISTENT with the nodes in `details`
 */
export async function findKey(answers: readonly ShardAnswer[], options: FindKeyOptions = {}): Promise<FoundKey> {
  const set = options.trustedSet ?? agreedSet(answers)
  if (set !== undefined) return findCommitted(answers, set)
  const { candidates, wrongNodes } = readCandidates(answers)
  if (candidates.length < keyShardThreshold) throw tooFew(answers, wrongNodes)
  if (candidates.length > keyShardThreshold + 1 && areConsistent(candidates, keyShardThreshold))
    return { masterKey: keyOf(candidates.slice(0, keyShardThreshold)), wrongNodes }
  if (options.confirm !== undefined) {
    const tried = new Set<string>()
    for (const subset of subsetsOf(candidates, keyShardThreshold)) {
      const masterKey = keyOf(subset)
      if (tried.has(masterKey) || !(await options.confirm(masterKey))) {
        tried.add(masterKey)
        continue
      }
      const others = candidates.filter((one) => interpolate(subset, one.x) !== one.y).map(({ node }) => node)
      return { masterKey, wrongNodes: [...wrongNodes, ...others].sort((a, b) => a - b) }
    }
  }
  throw new CairnError('SHARDS_INCONSISTENT', { details: { nodeNumbers: candidates.map(({ node }) => node) } })
}

/** Returns the consistent set that at least three nodes agree on. */
export function agreedSet(answers: readonly ShardAnswer[]): ShardSet | undefined {
  for (const { set } of answers) {
    if (set === undefined || !isWholeSet(set)) continue
    if (answers.filter((other) => other.set?.id === set.id).length >= keyShardThreshold) return set
  }
  return undefined
}

function findCommitted(answers: readonly ShardAnswer[], set: ShardSet): FoundKey {
  const right = answers.filter(({ node, shard }) => fitsCommitment(set, node, shard))
  const wrongNodes = answers.filter((answer) => !right.includes(answer)).map(({ node }) => node)
  if (right.length < set.threshold) throw tooFew(answers, wrongNodes)
  return { masterKey: keyOf(right.slice(0, set.threshold).map(({ shard }) => parseShard(shard))), wrongNodes }
}

/** Returns the plausible shards: invalid ones, and all but one per index, are lies. */
function readCandidates(answers: readonly ShardAnswer[]): { candidates: Candidate[]; wrongNodes: number[] } {
  const candidates: Candidate[] = []
  const wrongNodes: number[] = []
  for (const { node, shard } of answers) {
    try {
      const point = parseShard(shard)
      if (candidates.some(({ x }) => x === point.x)) wrongNodes.push(node)
      else candidates.push({ node, ...point })
    } catch (error) {
      if (!CairnError.is(error, 'INVALID_SHARD')) throw error
      wrongNodes.push(node)
    }
  }
  return { candidates, wrongNodes }
}

/** Returns the key from as many points as its threshold. */
function keyOf(points: readonly Point[]): string {
  return writeScalar(interpolate(points, 0n))
}

function tooFew(answers: readonly ShardAnswer[], wrongNodes: number[]): CairnError {
  return new CairnError('NOT_ENOUGH_SHARDS', {
    details: { needed: keyShardThreshold, right: answers.length - wrongNodes.length, wrongNodes },
  })
}

function* subsetsOf<T>(all: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let i = from; i <= all.length - size; i++) {
    for (const rest of subsetsOf(all, size - 1, i + 1)) yield [all[i] as T, ...rest]
  }
}
