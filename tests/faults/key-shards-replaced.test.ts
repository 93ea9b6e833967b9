// A key node is lost with its disk while the owners are absent: the operators of the five replace all shards.
import { rm } from 'node:fs/promises'
import { recoverKey } from '@cairn/crypto'
import { type CallResult, type KeyShard, retrieveShard } from '@cairn/protocol'
import { type Client, getKey, getKeyStatus, prepareKey, repairKey, revokeAccess, saveKey } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callWithSession } from '../../packages/sdk/src/keys/call-with-session.ts'
import { runKeyNodeAdmin } from '../../services/keynode/src/admin/admin.fixture.ts'
import { createCids } from '../../services/keynode/src/shards/cids.fixture.ts'
import { type FiveNodes, startFiveNodes, without } from '../five-nodes.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

let nodes: FiveNodes
let pauses: Disposable
beforeAll(async () => {
  nodes = await startFiveNodes()
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

const numbers = [1, 2, 3, 4, 5]
const freshCid = createCids('replaced')

async function retrieve(client: Client & { address: string }, node: number, cid: string) {
  const input = { params: { node: String(node) }, body: { address: client.address, cid, withAlternatives: true } }
  return callWithSession(client, retrieveShard, node, input, {})
}
const run = (node: number, ...args: string[]) => runKeyNodeAdmin(nodes.environment(node), ...args, '--json')

test('five nodes serve its files again with new shards, and the old shards are worthless', async () => {
  const first = await nodes.client()
  const friend = await nodes.client()
  const files: { cid: string; masterKey: string; old: CallResult<typeof retrieveShard>[] }[] = []
  for (let i = 0; i < 3; i++) {
    const cid = freshCid()
    const key = prepareKey()
    await saveKey(first, cid, key, { shareTo: [friend.address] })
    const old = await Promise.all(numbers.map((node) => retrieve(first, node, cid)))
    files.push({ cid, masterKey: key.masterKey, old })
  }
  await nodes.stop(4)
  await rm(nodes.folder(4), { recursive: true })
  expect((await run(4, 'shards', 'replace')).code).toBe(78)
  await nodes.start(4)

  const dry = await run(1, 'shards', 'replace', '--dry-run')
  expect(dry.json).toEqual([{ kind: 'summary', waiting: 3, received: 0, inForce: 0, without: 0, isDryRun: true }])
  expect((await run(1, 'shards', 'status')).json).toMatchObject([{ until: null, waiting: 3 }])
  for (const node of numbers) expect((await run(node, 'shards', 'replace')).code).toBe(0)
  await vi.waitFor(
    async () => {
      const states = await Promise.all(numbers.map((node) => run(node, 'shards', 'status')))
      expect(states.map(({ json }) => json[0]?.['without'])).toEqual([3, 3, 3, 3, 3])
    },
    { timeout: 240_000, interval: 500 },
  )
  expect((await run(1, 'audit')).json).toMatchObject([{ action: 'shards replace', subject: 'all keys' }])

  const owner = await nodes.client(first.privateKey)
  const reader = await nodes.client(friend.privateKey)
  for (const { cid, masterKey, old } of files) {
    const { health, agreed, hasSpare } = await getKeyStatus(owner, cid)
    expect([health, agreed?.sharedTo, hasSpare]).toEqual(['whole', [friend.address], false])
    expect((await getKeyStatus(reader, cid)).hasSpare).toBeUndefined()
    for (const away of [
      [1, 2],
      [2, 5],
      [3, 5],
    ]) {
      expect((await getKey(without(reader, ...away), cid)).masterKey).toBe(masterKey)
    }
    const shards = await Promise.all(numbers.map((node) => retrieve(owner, node, cid)))
    expect(shards.flatMap(({ alternatives }) => alternatives ?? [])).toEqual([])
    // The shard of the lost node and two current ones are not a key.
    const mixed = [old[3], shards[0], shards[1]].map((one) => one?.payload as KeyShard)
    expect(recoverKey(mixed)).not.toBe(masterKey)
    for (const shard of shards.map(({ payload }) => payload))
      expect(old.map(({ payload }) => payload.key)).not.toContain(shard.key)
  }
  const [file] = files
  if (file === undefined) throw new Error('there are files')
  await revokeAccess(owner, file.cid, [friend.address])
  await expect(getKey(reader, file.cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })

  // The owner deals spare shards again, and the nodes replace the shards once more.
  const { after } = await repairKey(owner, file.cid)
  expect([after.health, after.hasSpare]).toEqual(['whole', true])
  expect((await getKey(without(owner, 2, 3), file.cid)).masterKey).toBe(file.masterKey)
  // The nodes notice the second request, too, although they had completed the first.
  for (const node of numbers) expect((await run(node, 'shards', 'replace')).code).toBe(0)
  await vi.waitFor(async () => expect((await getKeyStatus(owner, file.cid)).hasSpare).toBe(false), {
    timeout: 240_000,
    interval: 500,
  })
  expect((await getKey(without(owner, 1, 4), file.cid)).masterKey).toBe(file.masterKey)
  expect((await repairKey(owner, file.cid)).after.hasSpare).toBe(true)
  expect((await run(2, 'shards', 'stop')).code).toBe(0)
  expect((await run(2, 'shards', 'status')).json).toMatchObject([{ until: null, waiting: 1 }])
  for (const line of nodes.lines.flat())
    for (const { old } of files) for (const { payload } of old) expect(line).not.toContain(payload.key)
})
