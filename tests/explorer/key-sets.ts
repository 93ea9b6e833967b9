import { commitShards, generateKey, splitKey } from '@cairn/crypto'
import type { KeyShard, Spare } from '@cairn/protocol'
import type { PreparedKey } from '@cairn/sdk'
import { spareOf } from '../../packages/sdk/src/keys/deal-spare.ts'

/** A set of shards under a name that is the same in every run. */
export type NamedSet = PreparedKey & { name: string }

const sets = new Map<string, NamedSet>()
const byShard = new Map<string, { name: string; node: number }>()
const keyNames = new Map<string, string>()
/** Names of the sets with which spare sets were dealt, by the id of the spare set. */
const bySpare = new Map<string, string>()

/**
 * Returns the set with a name: created at first use, the same afterwards.
 * @param masterKey the key of the set; defaults to a new key with the name of the set
 */
export function setNamed(name: string, masterKey?: string): NamedSet {
  const full = masterKey === undefined ? name : `${name} of ${nameKey(masterKey)}`
  const known = sets.get(full)
  if (known !== undefined) return known
  const made = masterKey === undefined ? generateKey() : { masterKey, keyShards: splitKey(masterKey) }
  const { keyShards } = made
  const set = { ...made, name: full, set: commitShards(keyShards) }
  sets.set(full, set)
  bySpare.set(spareOf(set)[0]?.set.id ?? '', full)
  if (masterKey === undefined) keyNames.set(made.masterKey, name)
  for (const [i, shard] of keyShards.entries()) byShard.set(`${shard.index} ${shard.key}`, { name: full, node: i + 1 })
  return set
}

/** The name under which a key was created. */
function nameKey(masterKey: string): string {
  return keyNames.get(masterKey) ?? 'an unknown key'
}

/** The name of the set that contains a node's shard. */
export function nameShard({ key, index }: KeyShard, node: number): string {
  const found = byShard.get(`${index} ${key}`)
  if (found === undefined) return `unknown ${index}`
  return found.node === node ? found.name : `${found.name} of node ${found.node}`
}

export function shardOf(name: string, node: number): KeyShard {
  const shard = sets.get(name)?.keyShards[node - 1]
  if (shard === undefined) throw new Error(`there is no set ${name}`)
  return shard
}

/** The name of the set with which a spare set was dealt. */
export function nameSpare(spareId: string): string {
  return bySpare.get(spareId) ?? `unknown ${spareId}`
}

/** What a node receives of the spare set dealt with a set. */
export function spareFor(name: string, node: number): Spare {
  const set = sets.get(name)
  const spare = set === undefined ? undefined : spareOf(set)[node - 1]
  if (spare === undefined) throw new Error(`there is no set ${name}`)
  return spare
}

function isSpare(one: object): one is { set: { id: string } } {
  return 'parts' in one && 'set' in one && typeof one.set === 'object' && one.set !== null && 'id' in one.set
}

/** JSON that is equal on all nodes: shards have the name of their set, and the number of the node is omitted. */
export function toCommon(value: unknown, node: number): string {
  return JSON.stringify(value, (key, one: unknown) => {
    if (key === 'node' && Number(one) === node) return '$node'
    if (typeof one !== 'object' || one === null) return one
    if (key === 'spare' && isSpare(one)) return { $spare: nameSpare(one.set.id) }
    if (!('index' in one) || !('key' in one)) return one
    return { $set: nameShard({ key: String(one.key), index: String(one.index) }, node) }
  })
}

/** The same JSON with the values of one node. */
export function toNode(text: string, node: number): unknown {
  return JSON.parse(text, (_key, one: unknown) => {
    if (one === '$node') return node
    if (typeof one !== 'object' || one === null) return one
    if ('$spare' in one) return spareFor(String(one.$spare), node)
    return '$set' in one ? shardOf(String(one.$set), node) : one
  })
}
