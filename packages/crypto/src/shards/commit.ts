import { CairnError, type KeyShard, keyShardCount, keyShardThreshold, type ShardSet } from '@cairn/protocol'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { parseShard, writeScalar } from './group-order.ts'

/**
 * Commits to a set of shards: a SHA-256 hash of each, in the order of the nodes, and a hash over all as the id of the
 * set. A shard has 510 random bits, so its hash reveals nothing about it.
 * @throws CairnError INVALID_KEY_SHARDS unless there are five, INVALID_SHARD
 */
export function commitShards(shards: readonly KeyShard[], threshold = keyShardThreshold): ShardSet {
  if (shards.length !== keyShardCount) throw new CairnError('INVALID_KEY_SHARDS')
  const commitments = shards.map(commitShard)
  return { id: nameSet(commitments, threshold), commitments, threshold }
}

/** Returns whether a shard matches the commitment of a set for a node, 1 to 5. */
export function fitsCommitment(set: ShardSet, node: number, shard: unknown): boolean {
  const commitment = set.commitments[node - 1]
  if (commitment === undefined) return false
  try {
    return commitShard(shard) === commitment
  } catch (error) {
    // An invalid shard matches no commitment.
    if (CairnError.is(error, 'INVALID_SHARD')) return false
    throw error
  }
}

/** Returns whether the id of a set matches its list. */
export function isWholeSet(set: ShardSet): boolean {
  return set.commitments.length === keyShardCount && nameSet(set.commitments, set.threshold) === set.id
}

function commitShard(shard: unknown): string {
  const { x, y } = parseShard(shard)
  const both = hexToBytes(writeScalar(x) + writeScalar(y))
  return bytesToHex(sha256(concatBytes(utf8ToBytes('cairn/shard/1'), both)))
}

function nameSet(commitments: readonly string[], threshold: number): string {
  const list = concatBytes(...commitments.map(hexToBytes))
  return bytesToHex(sha256(concatBytes(utf8ToBytes('cairn/shard-set/1'), Uint8Array.of(threshold), list)))
}
