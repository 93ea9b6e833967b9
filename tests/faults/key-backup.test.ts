// Key nodes restored from an older backup: what was revoked since stays revoked, and everything else comes back.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { getKey, getKeyStatus, prepareKey, repairKey, revokeAccess, saveKey, shareFile } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runKeyNodeCommand } from '../../services/keynode/src/admin/commands.ts'
import { type FiveNodes, startFiveNodes, without } from '../five-nodes.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

let nodes: FiveNodes
let pauses: Disposable
let identity: string
let recipient = ''
beforeAll(async () => {
  nodes = await startFiveNodes()
  pauses = skipPauses()
  identity = join(nodes.folder(1), '..', 'backup.key')
  recipient = (await administer(1, 'backup', 'key', identity)).join('')
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

const numbers = [1, 2, 3, 4, 5]
const placeOf = (node: number) => join(nodes.folder(node), '..', `backups-${node}`)
let files = 0
const freshCid = () => `bafkrei${'abcdefgh'[files++ % 8]?.repeat(51)}q`

/** Runs `cairn-keynode-admin` with the settings of a node, and returns what it printed. */
async function administer(node: number, ...args: string[]): Promise<string[]> {
  const lines: string[] = []
  const complaints: string[] = []
  const code = await runKeyNodeCommand(args, {
    environment: { ...nodes.environment(node), CAIRN_BACKUP_RECIPIENTS: recipient },
    write: (line) => lines.push(line),
    complain: (line) => complaints.push(line),
  })
  expect([code, complaints]).toEqual([0, []])
  return lines
}

/** Replaces the disk of a node with its newest backup. Sign-ins are accepted at once, not after a minute. */
async function restore(node: number): Promise<void> {
  await nodes.stop(node)
  await rm(nodes.folder(node), { recursive: true })
  await administer(node, 'restore', placeOf(node), '--identity', identity)
  nodes.forge(node, 'update node set restored_at = restored_at - 600000')
}

/** Saves a key that two others may read, and backs up node 1. */
async function prepare() {
  const [owner, reader, friend] = [await nodes.client(), await nodes.client(), await nodes.client()]
  const cid = freshCid()
  const key = prepareKey()
  await saveKey(owner, cid, key, { shareTo: [reader.address, friend.address] })
  expect((await getKeyStatus(owner, cid)).health).toBe('whole')
  await administer(1, 'backup', placeOf(1))
  return { owner, reader, friend, cid, masterKey: key.masterKey }
}

/** Revokes on exactly three nodes, one of which, node 1, is restored to its earlier state. */
async function revokeAndRestore() {
  const world = await prepare()
  const { owner, reader, cid } = world
  const revoked = await revokeAccess(without(owner, 4, 5), cid, [reader.address])
  expect([revoked.done, revoked.isEffective]).toEqual([[1, 2, 3], true])
  await expect(getKey(reader, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await restore(1)
  return world
}

test('a restored node returns no shard to a reader who was revoked since, until the owner decides', async () => {
  const { owner, reader, friend, cid, masterKey } = await revokeAndRestore()
  await nodes.start(1)
  const [oldReader, oldFriend, sameOwner] = [
    await nodes.client(reader.privateKey),
    await nodes.client(friend.privateKey),
    await nodes.client(owner.privateKey),
  ]
  const denied = await getKey(oldReader, cid).catch((error: unknown) => error)
  expect(denied).toMatchObject({ code: expect.stringMatching(/^(ACCESS_DENIED|NOT_ENOUGH_SHARDS)$/) })
  // Two nodes still list the reader: the third shard would open the file.
  await expect(getKey(without(oldReader, 1), cid)).rejects.toBeDefined()
  expect((await getKey(oldFriend, cid)).masterKey).toBe(masterKey)
  await expect(getKey(without(oldFriend, 2, 3), cid)).rejects.toMatchObject({ code: 'NOT_ENOUGH_SHARDS' })
  const [first] = (await getKeyStatus(sameOwner, cid)).nodes
  expect(first).toMatchObject({ isAgreed: false, status: { isRestored: true } })

  const { after } = await repairKey(sameOwner, cid)
  expect(after).toMatchObject({ health: 'whole', agreed: { sharedTo: [friend.address] } })
  expect((await getKey(without(oldFriend, 2, 3), cid)).masterKey).toBe(masterKey)
  await expect(getKey(oldReader, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})

test('without the mark, the same restore opens the file to the revoked reader', async () => {
  const { reader, cid, masterKey } = await revokeAndRestore()
  nodes.forge(1, 'update key set restored_at = null')
  await nodes.start(1)
  expect((await getKey(await nodes.client(reader.privateKey), cid)).masterKey).toBe(masterKey)
})

test('a restored node adopts the newer state of three others automatically', async () => {
  const { owner, reader, friend, cid, masterKey } = await prepare()
  await revokeAccess(owner, cid, [reader.address])
  await restore(1)
  await nodes.start(1)
  const [oldReader, oldFriend] = [await nodes.client(reader.privateKey), await nodes.client(friend.privateKey)]
  await expect(getKey(oldReader, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect((await getKey(without(oldFriend, 2, 3), cid)).masterKey).toBe(masterKey)
  const { health, nodes: all } = await getKeyStatus(await nodes.client(owner.privateKey), cid)
  expect([health, all[0]?.status?.isRestored]).toEqual(['whole', undefined])
})

test('when all nodes are restored, only the owner gets the key back, and shares it again', async () => {
  const { owner, reader, cid, masterKey } = await prepare()
  for (const node of [2, 3, 4, 5]) await administer(node, 'backup', placeOf(node))
  for (const node of numbers) await restore(node)
  for (const node of numbers) await nodes.start(node)
  const [sameOwner, sameReader] = [await nodes.client(owner.privateKey), await nodes.client(reader.privateKey)]
  await expect(getKey(sameOwner, cid)).rejects.toMatchObject({ code: expect.stringMatching(/UNCONFIRMED|ENOUGH/) })
  const { after } = await repairKey(sameOwner, cid)
  expect(after).toMatchObject({ health: 'whole', agreed: { owner: owner.address, sharedTo: [] } })
  expect((await getKey(sameOwner, cid)).masterKey).toBe(masterKey)
  await expect(getKey(sameReader, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await shareFile(sameOwner, cid, [reader.address])
  expect((await getKey(sameReader, cid)).masterKey).toBe(masterKey)
})
