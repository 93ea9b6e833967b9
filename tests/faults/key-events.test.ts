// The log of who opened files, merged from five nodes: what honest nodes report, what two dishonest ones cannot invent
// or hide, and who may read it.
import type { ServerResponse } from 'node:http'
import {
  type Client,
  getKey,
  type KeyEvent,
  type KeyEventOptions,
  listKeyEvents,
  prepareKey,
  revokeAccess,
  saveKey,
  shareFile,
  transferFile,
  watchKeyEvents,
} from '@cairn/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCids } from '../../services/keynode/src/shards/cids.fixture.ts'
import { codeOf } from '../code-of.ts'
import { type FiveNodes, startFiveNodes, startLiar, withNodes, without } from '../five-nodes.ts'

type KeyClient = Awaited<ReturnType<FiveNodes['client']>>

const five = [1, 2, 3, 4, 5]
/** A busy machine must not exclude a node. */
const lateMs = 60_000
const freshCid = createCids('events')
let nodes: FiveNodes
let owner: KeyClient
let friend: KeyClient
let stranger: KeyClient

beforeAll(async () => {
  nodes = await startFiveNodes()
  owner = await nodes.client()
  friend = await nodes.client()
  stranger = await nodes.client()
})
afterAll(() => nodes?.[Symbol.asyncDispose]())

async function saveFresh(): Promise<string> {
  const cid = freshCid()
  await saveKey(owner, cid, prepareKey())
  return cid
}

async function eventsOf(client: Client, options: KeyEventOptions = {}): Promise<KeyEvent[]> {
  return Array.fromAsync(listKeyEvents(client, { lateMs, ...options }))
}

describe('the log of a file', () => {
  test('lists openings, refusals and changes, each once, with the nodes that report it', async () => {
    const cid = await saveFresh()
    await shareFile(owner, cid, [friend.address])
    await getKey(friend, cid, { lateMs: 5_000 })
    await getKey(friend, cid, { lateMs: 5_000 })
    expect(await codeOf(getKey(stranger, cid))).toBe('ACCESS_DENIED')
    await revokeAccess(owner, cid, [friend.address])
    const events = await eventsOf(owner, { cid })
    const listed = events.map(({ kind, address, addresses, count }) => ({ kind, address, addresses, count }))
    const by = owner.address
    expect(listed).toEqual([
      { kind: 'revoke', address: by, addresses: [friend.address], count: 1 },
      { kind: 'denied', address: stranger.address, addresses: [], count: 1 },
      { kind: 'opened', address: friend.address, addresses: [], count: 2 },
      { kind: 'share', address: by, addresses: [friend.address], count: 1 },
      { kind: 'save', address: by, addresses: [], count: 1 },
    ])
    for (const event of events) expect(event).toMatchObject({ nodes: five, isConfirmed: true, cid })
  })

  test('is visible only to the owner, and stays with the owner of that time', async () => {
    const cid = await saveFresh()
    await shareFile(owner, cid, [friend.address])
    await getKey(friend, cid)
    expect(await eventsOf(friend, { cid })).toEqual([])
    expect(await eventsOf(stranger, { cid })).toEqual([])
    await transferFile(owner, cid, friend.address)
    expect((await eventsOf(owner, { cid })).map(({ kind }) => kind)).toEqual(['transfer', 'opened', 'share', 'save'])
    expect(await eventsOf(friend, { cid })).toEqual([])
  })

  test('lists a change once, even if a node missed an earlier one and counts fewer', async () => {
    const cid = await saveFresh()
    // The same change twice in one session has one name.
    await shareFile(owner, cid, [friend.address])
    await revokeAccess(owner, cid, [friend.address])
    await shareFile(owner, cid, [friend.address])
    const before = await eventsOf(owner, { cid })
    expect(before.map(({ kind }) => kind)).toEqual(['share', 'revoke', 'share', 'save'])
    nodes.forge(5, "update change set version = version - 1 where cid = ? and kind <> 'save'", cid)
    for (const pageRows of [100, 2]) {
      const events = await eventsOf(owner, { cid, pageRows })
      expect(events.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      for (const event of events) expect(event).toMatchObject({ nodes: five, isConfirmed: true })
    }
  })

  test('marks what two nodes invent, and shows what two of five hide', async () => {
    const cid = await saveFresh()
    await shareFile(owner, cid, [friend.address])
    await getKey(friend, cid, { lateMs: 5_000 })
    const before = await eventsOf(owner, { cid })
    expect(before[0]).toMatchObject({ kind: 'opened', nodes: five })
    const now = Date.now()
    for (const node of [1, 2]) {
      nodes.forge(node, 'delete from access where cid = ?', cid)
      nodes.forge(
        node,
        `insert into access (owner, cid, address, outcome, hour, count, first_at, last_at) values (?, ?, ?, 'opened', ?, 7, ?, ?)`,
        owner.address,
        cid,
        stranger.address,
        Math.floor(now / 3_600_000),
        now,
        now,
      )
    }
    const opened = (await eventsOf(owner, { cid })).filter(({ kind }) => kind === 'opened')
    expect(opened.find(({ address }) => address === stranger.address)).toMatchObject({
      nodes: [1, 2],
      isConfirmed: false,
    })
    expect(opened.find(({ address }) => address === friend.address)).toMatchObject({
      nodes: [3, 4, 5],
      isConfirmed: true,
    })
  })

  test('confirms an opening that three nodes report, however many strangers two of them refused since', async () => {
    const account = await nodes.client()
    const cid = freshCid()
    await saveKey(account, cid, prepareKey())
    await shareFile(account, cid, [friend.address])
    await getKey(without(friend, 4, 5), cid)
    await eventsOf(account, { cid })
    const now = Date.now()
    for (const node of [1, 2]) {
      using db = nodes.openDatabase(node)
      const insert = db.prepare("insert into access values (?, ?, ?, 'denied', ?, 1, ?, ?)")
      db.exec('begin immediate')
      // Several share a millisecond, and the end of a page.
      for (let i = 0; i < 1000; i++) {
        const at = now + 1000 + Math.floor(i / 7)
        insert.run(account.address, cid, `0x${i}`, Math.floor(at / 3_600_000), at, at)
      }
      db.exec('commit')
    }
    for (const pageRows of [undefined, 50, 200]) {
      const events = await eventsOf(account, pageRows === undefined ? {} : { pageRows })
      expect(events.filter(({ kind }) => kind === 'denied')).toHaveLength(1000)
      const opened = events.filter(({ kind }) => kind === 'opened')
      expect(opened).toMatchObject([{ address: friend.address, nodes: [1, 2, 3], isConfirmed: true }])
    }
  })

  test('uses the count that three nodes report, and the median of their times', async () => {
    const cid = await saveFresh()
    await shareFile(owner, cid, [friend.address])
    await getKey(friend, cid, { lateMs: 5_000 })
    await eventsOf(owner, { cid })
    nodes.forge(4, 'update access set count = 999, last_at = last_at + 100000 where cid = ?', cid)
    nodes.forge(5, 'update access set count = 998 where cid = ?', cid)
    const [opened] = await eventsOf(owner, { cid })
    expect(opened).toMatchObject({ kind: 'opened', count: 1, nodes: five })
    expect(opened?.at).toBeLessThan(Date.now() + 50_000)
  })

  test('needs three nodes', async () => {
    const cid = await saveFresh()
    expect((await eventsOf(without(owner, 1, 2), { cid })).map(({ nodes: by }) => by)).toEqual([[3, 4, 5]])
    expect(await codeOf(eventsOf(without(owner, 1, 2, 3), { cid }))).toBe('KEY_NODES_UNAVAILABLE')
  })
})

test('pages list every event once, in order', async () => {
  const account = await nodes.client()
  const cid = freshCid()
  await saveKey(account, cid, prepareKey())
  const minute = 60_000
  const now = Date.now()
  // Accesses of two weeks, by nodes whose clocks differ by up to two seconds.
  for (const node of five) {
    using db = nodes.openDatabase(node)
    db.exec('begin immediate')
    const insert = db.prepare('insert into access values (?, ?, ?, ?, ?, 1, ?, ?)')
    for (let i = 1; i <= 200; i++) {
      const at = now - i * 100 * minute + node * 400
      insert.run(account.address, cid, `0x${i}`, 'opened', Math.floor(at / 3_600_000), at, at)
    }
    db.exec('commit')
  }
  const events = await eventsOf(account, { pageRows: 7 })
  expect(events).toHaveLength(201)
  expect(new Set(events.map(({ address }) => address)).size).toBe(201)
  expect(events.every(({ nodes: by }) => by.length === 5)).toBe(true)
  const times = events.map(({ at }) => at)
  expect(times).toEqual([...times].sort((a, b) => b - a))
})

test('pages list more events of one millisecond than fit into a page', async () => {
  const account = await nodes.client()
  const cid = freshCid()
  await saveKey(account, cid, prepareKey())
  const at = Date.now() - 10 * 60_000
  for (const node of five) {
    using db = nodes.openDatabase(node)
    const insert = db.prepare("insert into access values (?, ?, ?, 'opened', ?, 1, ?, ?)")
    for (let i = 0; i < 13; i++) insert.run(account.address, cid, `0x${i}`, Math.floor(at / 3_600_000), at, at)
  }
  for (const pageRows of [1, 3, 100]) {
    const opened = (await eventsOf(account, { cid, pageRows })).filter(({ kind }) => kind === 'opened')
    expect(opened.map(({ address }) => address).toSorted()).toEqual(
      Array.from({ length: 13 }, (_, i) => `0x${i}`).toSorted(),
    )
  }
})

test('two nodes that always have more events do not stall the list', async () => {
  const cid = await saveFresh()
  await shareFile(owner, cid, [friend.address])
  const event = { kind: 'opened', cid, address: stranger.address, since: 0, count: 1 }
  const send = (response: ServerResponse, at: number) =>
    response.end(JSON.stringify({ events: [{ ...event, at }], hasMore: true, accessLogDays: 90 }))
  // One ignores the request; the other invents an event just before each page.
  await using same = await startLiar(nodes.url(1), (_request, _answer, response) => send(response, Date.now()))
  await using endless = await startLiar(nodes.url(2), ({ url = '' }, _answer, response) =>
    send(response, Number(/before=(\d+)/.exec(url)?.[1] ?? Date.now()) - 1),
  )
  const events = await eventsOf(withNodes(owner, { 1: same.url, 2: endless.url }), { cid, pageRows: 1 })
  const confirmed = events.filter(({ isConfirmed }) => isConfirmed)
  expect(confirmed.map(({ kind, nodes: by }) => [kind, by])).toEqual([
    ['share', [3, 4, 5]],
    ['save', [3, 4, 5]],
  ])
})

test('notifies a watcher of each event once, and of repeated events again', async () => {
  const cid = await saveFresh()
  const ended = new AbortController()
  const heard: string[] = []
  const failures: string[] = []
  const heardOf = async (client: Client, count: number) => {
    const watching = watchKeyEvents(client, {
      cid,
      since: 0,
      everyMs: 20,
      onFailure: ({ code }) => failures.push(code),
      signal: ended.signal,
    })
    for await (const { kind, count: times } of watching) {
      heard.push(`${kind} ${times}`)
      if (heard.length === 1) await shareFile(owner, cid, [friend.address])
      if (heard.length === 2 || heard.length === 3) await getKey(friend, cid, { lateMs: 5_000 })
      if (heard.length === count) break
    }
  }
  await heardOf(owner, 4)
  expect(heard).toEqual(['save 1', 'share 1', 'opened 1', 'opened 2'])
  // Too few nodes end nothing; the caller ends it.
  const late = heardOf(without(owner, 1, 2, 3), 99)
  await expect.poll(() => failures.length).toBeGreaterThan(1)
  ended.abort()
  expect(await codeOf(late)).toBe('ABORTED')
  expect(new Set(failures)).toEqual(new Set(['KEY_NODES_UNAVAILABLE']))
})

test('a node whose clock is ahead does not hide events of the others from a watcher', async () => {
  const cid = await saveFresh()
  await shareFile(owner, cid, [friend.address])
  await getKey(friend, cid, { lateMs: 5_000 })
  await eventsOf(owner, { cid })
  const hourMs = 3_600_000
  nodes.forge(
    5,
    'update access set hour = hour + 1, first_at = first_at + ?, last_at = last_at + ? where cid = ?',
    hourMs,
    hourMs,
    cid,
  )
  const confirmed: string[] = []
  for await (const { kind, isConfirmed } of watchKeyEvents(owner, { cid, since: 0, everyMs: 20 })) {
    if (isConfirmed) confirmed.push(kind)
    else await revokeAccess(owner, cid, [friend.address])
    if (kind === 'revoke') break
  }
  expect(confirmed).toEqual(['save', 'share', 'opened', 'revoke'])
})

test('a node keeps its log across a restart', async () => {
  const cid = await saveFresh()
  await shareFile(owner, cid, [friend.address])
  await getKey(friend, cid, { lateMs: 5_000 })
  await nodes.stop(1)
  await nodes.start(1)
  const [opened] = await eventsOf(owner, { cid })
  expect(opened).toMatchObject({ kind: 'opened', nodes: five })
})
