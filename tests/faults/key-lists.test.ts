// The lists of files that an address owns or can open, merged from five nodes: two dishonest nodes change nothing in
// them, and the lists are complete while two nodes are offline.
import { createHash } from 'node:crypto'
import {
  type Client,
  type KeyFile,
  type KeyFileOptions,
  listKeyFiles,
  prepareKey,
  revokeAccess,
  saveKey,
  shareFile,
  transferFile,
} from '@cairn/sdk'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCids } from '../../services/keynode/src/shards/cids.fixture.ts'
import { type FiveNodes, startFiveNodes, startLiar, withNodes, without } from '../five-nodes.ts'

type KeyClient = Awaited<ReturnType<FiveNodes['client']>>

const five = [1, 2, 3, 4, 5]
/** A busy machine must not exclude a node. */
const lateMs = 60_000
const freshCid = createCids('listed')
const stranger = `0x${'5'.repeat(40)}`
let nodes: FiveNodes
let owner: KeyClient
let friend: KeyClient

beforeAll(async () => {
  nodes = await startFiveNodes()
})
afterAll(() => nodes?.[Symbol.asyncDispose]())
beforeEach(async () => {
  owner = await nodes.client()
  friend = await nodes.client()
})

async function saveFresh(cid = freshCid()): Promise<string> {
  await saveKey(owner, cid, prepareKey())
  return cid
}

async function listOf(client: Client, role: 'owner' | 'recipient', options?: KeyFileOptions): Promise<KeyFile[]> {
  return Array.fromAsync(listKeyFiles(client, role, { lateMs, ...options }))
}

test('a file is listed as soon as three nodes list it, and lists follow each change', async () => {
  const cid = await saveFresh()
  expect(await listOf(owner, 'owner')).toMatchObject([
    { cid, owner: owner.address, sharedTo: [], hasConditions: false, state: 'held', nodes: five },
  ])
  await shareFile(owner, cid, [friend.address])
  expect(await listOf(owner, 'owner')).toMatchObject([{ cid, sharedTo: [friend.address] }])
  expect(await listOf(friend, 'recipient')).toMatchObject([{ cid, owner: owner.address, sharedTo: [] }])
  await revokeAccess(owner, cid, [friend.address])
  expect(await listOf(friend, 'recipient')).toEqual([])
  await transferFile(owner, cid, friend.address)
  expect(await listOf(owner, 'owner')).toEqual([])
  expect(await listOf(friend, 'owner')).toMatchObject([{ cid, owner: friend.address, state: 'held' }])
})

test('two nodes cannot hide or add a file or a recipient', async () => {
  const hidden = await saveFresh()
  const shared = await saveFresh()
  await shareFile(owner, shared, [friend.address])
  const invented = freshCid()
  for (const node of [1, 2]) {
    nodes.forge(node, 'update key set cid = ?, cid_as_given = ? where cid = ?', invented, invented, hidden)
    nodes.forge(node, 'update shared set address = ? where cid = ?', stranger, shared)
  }
  const found = new Map((await listOf(owner, 'owner')).map((file) => [file.cid, file]))
  expect(found.get(hidden)).toMatchObject({ state: 'held', nodes: [3, 4, 5] })
  expect(found.get(shared)).toMatchObject({ state: 'held', nodes: five, sharedTo: [friend.address] })
  expect(found.get(invented)).toMatchObject({ state: 'provisional', nodes: [1, 2] })
  expect(found.size).toBe(3)
  for (const node of [1, 2])
    nodes.forge(node, 'insert into shared (cid, address, created_at) values (?, ?, 1)', invented, friend.address)
  expect(await listOf(friend, 'recipient')).toMatchObject([{ cid: shared, nodes: [3, 4, 5] }])
})

test('lists are complete while two nodes are offline, with the recipients that those may know', async () => {
  const cid = await saveFresh()
  await shareFile(owner, cid, [friend.address])
  expect(await listOf(without(owner, 1, 2), 'owner')).toMatchObject([
    { cid, state: 'held', nodes: [3, 4, 5], sharedTo: [friend.address] },
  ])
  // Of the three that answer, two no longer know of the share; those that are offline may.
  for (const node of [4, 5]) nodes.forge(node, 'delete from shared where cid = ?', cid)
  expect(await listOf(without(owner, 1, 2), 'owner')).toMatchObject([{ sharedTo: [friend.address] }])
  expect(await listOf(without(friend, 1, 2), 'recipient')).toMatchObject([{ cid, nodes: [3] }])
  await expect(listOf(without(owner, 1, 2, 3), 'owner')).rejects.toMatchObject({ code: 'KEY_NODES_UNAVAILABLE' })
})

test('merges all pages, with lists of different lengths and any spelling of a CID', async () => {
  const digest = create(0x12, createHash('sha256').update('an old file').digest())
  const cids = [CID.create(0, 0x70, digest).toString()]
  while (cids.length < 9) cids.push(freshCid())
  for (const cid of cids) await saveFresh(cid)
  for (const cid of cids.slice(1, 4)) nodes.forge(4, 'delete from key where cid = ?', cid)
  for (const cid of cids.slice(3, 6)) nodes.forge(5, 'delete from key where cid = ?', cid)
  const all = await listOf(owner, 'owner')
  expect(all.map(({ cid }) => cid).sort()).toEqual([...cids].sort())
  expect(all.every(({ state }) => state === 'held')).toBe(true)
  for (const pageRows of [1, 2, 4]) expect(await listOf(owner, 'owner', { pageRows })).toEqual(all)
})

test('lists a file with its nodes and recipients, however many others two of these list before it', async () => {
  const cids = Array.from({ length: 60 }, () => freshCid()).sort()
  const last = cids.pop() ?? ''
  await saveFresh(last)
  await shareFile(without(owner, 4, 5), last, [friend.address], { retryMs: 0 })
  // As after saves and shares that reached two nodes.
  const squatter = await nodes.client()
  for (const node of [1, 2]) {
    using db = nodes.openDatabase(node)
    const names = db.prepare("select name from pragma_table_info('key')").all()
    const columns = names
      .map(({ name }) => String(name))
      .filter((name) => !['cid', 'cid_as_given', 'owner'].includes(name))
    const copy = db.prepare(
      `insert into key (cid, cid_as_given, owner, ${columns}) select ?, ?, ?, ${columns} from key where cid = ?`,
    )
    for (const [i, cid] of cids.entries()) {
      copy.run(cid, cid, i < 30 ? owner.address : squatter.address, last)
      db.prepare('insert into shared values (?, ?, 1)').run(cid, friend.address)
    }
  }
  for (const pageRows of [undefined, 2, 100]) {
    const options = pageRows === undefined ? {} : { pageRows }
    const own = await listOf(owner, 'owner', options)
    expect(own).toHaveLength(31)
    expect(own.at(-1)).toMatchObject({ cid: last, state: 'held', nodes: five, sharedTo: [friend.address] })
    const shared = await listOf(friend, 'recipient', options)
    expect(shared).toMatchObject([{ cid: last, state: 'held', nodes: [1, 2, 3] }])
  }
  // Two nodes that send less than they have leave the decision to the others.
  const early = await Promise.all(
    [1, 2].map((node) =>
      startLiar(nodes.url(node), (request, answer, response) => {
        if (request.url?.includes('after=')) return void response.destroy()
        response.end(answer.body)
      }),
    ),
  )
  await using _first = early[0]
  await using _second = early[1]
  const urls = Object.fromEntries(early.map(({ url }, i) => [i + 1, url]))
  expect(await listOf(withNodes(friend, urls), 'recipient', { pageRows: 2 })).toMatchObject([{ cid: last, nodes: [3] }])
  expect((await listOf(withNodes(owner, urls), 'owner', { pageRows: 2 })).at(-1)).toMatchObject({
    nodes: [3, 4, 5],
    sharedTo: [friend.address],
  })
})

test('endless or repeating lists of two nodes end with those of the others', async () => {
  const cids = [await saveFresh(), await saveFresh(), await saveFresh()]
  const [honest] = await listOf(owner, 'owner')
  const more = createCids('made up')
  const madeUp = Array.from({ length: 200 }, more).sort()
  let asked = 0
  await using endless = await startLiar(nodes.url(1), ({ url = '' }, _answer, response) => {
    asked++
    const after = new URL(url, nodes.url(1)).searchParams.get('after') ?? ''
    const cid = madeUp.find((one) => one > after) ?? madeUp.at(-1)
    response.end(JSON.stringify({ files: [{ ...honest, cid }], next: cid }))
  })
  await using back = await startLiar(nodes.url(2), (_request, _answer, response) =>
    response.end(JSON.stringify({ files: [honest], next: madeUp[0] })),
  )
  const files = await listOf(withNodes(owner, { 1: endless.url, 2: back.url }), 'owner', { pageRows: 1 })
  expect(files.filter(({ state }) => state === 'held').map(({ cid }) => cid)).toEqual([...cids].sort())
  expect(asked).toBeLessThanOrEqual(cids.length + 1)
})
