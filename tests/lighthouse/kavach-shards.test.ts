// Key sets of the published key clients recovered by ours, and ours by theirs.
import { generateKey, recoverKey, splitKey } from '@cairn/crypto'
import type { KeyShard } from '@cairn/protocol'
import { expect, test } from 'vitest'

type Kavach = {
  generate(threshold?: number, count?: number): Promise<{ masterKey: string; keyShards: KeyShard[] }>
  recoverKey(shards: KeyShard[]): Promise<{ masterKey: string | null; error: unknown }>
}

const sets = Number(process.env['CAIRN_TEST_VECTORS'] ?? 50)

async function loadKavach(name: string): Promise<Kavach> {
  const loaded: { default: Kavach & { default?: Kavach } } = await import(name)
  return loaded.default.default ?? loaded.default
}

/** Three of five, a different three each time. */
const threeOf = (shards: readonly KeyShard[], turn: number) =>
  shards.filter((_shard, i) => ![turn % 5, (turn + 1 + (turn % 4)) % 5].includes(i)).slice(0, 3)

test.each(['kavach-0.1.9', 'kavach-0.2.1'])('%s and we recover each other’s keys', async (name) => {
  const kavach = await loadKavach(name)
  for (let turn = 0; turn < sets; turn++) {
    const theirs = await kavach.generate(3, 5)
    expect(recoverKey(threeOf(theirs.keyShards, turn))).toBe(theirs.masterKey)
    expect(recoverKey(theirs.keyShards)).toBe(theirs.masterKey)
    const ours = turn % 2 === 0 ? generateKey() : { masterKey: theirs.masterKey, keyShards: splitKey(theirs.masterKey) }
    expect(await kavach.recoverKey(threeOf(ours.keyShards, turn))).toMatchObject({ masterKey: ours.masterKey })
  }
})
