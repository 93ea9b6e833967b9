import { canonicalCid, commitShards, generateKey } from '@cairn/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import {
  callAs,
  createTestWallet,
  openTestSession,
  startTestNode,
  type TestNode,
  type TestSession,
} from '../test-node.fixture.ts'
import { createCids } from './cids.fixture.ts'
import { openShard, sealShard } from './seal.ts'

const day = 24 * 3600_000
const shard = { key: '1', index: '2' }

/** A unique CID; keys need no stored content. */
const freshCid = createCids('file')

const save = (node: TestNode, session: TestSession, cid: string, body: object = {}) =>
  callAs(node, session, 'POST', '/api/setSharedKey/1', { cid, payload: shard, ...body })
const retrieve = (node: TestNode, session: TestSession, cid: string) =>
  callAs(node, session, 'POST', '/api/retrieveSharedKey/1', { cid })
const status = (node: TestNode, session: TestSession, cid: string) =>
  callAs(node, session, 'GET', `/api/keys/status/1/${cid}`)

describeOnDatabases('on %s', (prepare) => {
  describe('shards', () => {
    let node: TestNode
    let owner: TestSession
    let friend: TestSession
    beforeAll(async () => {
      node = await startTestNode(await prepare())
      owner = await openTestSession(node)
      friend = await openTestSession(node)
    })
    afterAll(() => node?.[Symbol.asyncDispose]())

    test('the first address to save owns the CID, in any notation', async () => {
      const cid = 'QmPHdvJGyiLBAk8JvvAqzp5jnCv5kzYJvCL5QTqSdXSLAW'
      const same = canonicalCid(cid)
      expect(same).toMatch(/^bafy/)
      expect(await save(node, owner, cid)).toMatchObject({
        status: 200,
        json: { message: 'success', data: { version: 1 } },
      })
      expect((await save(node, friend, same)).code).toBe('ACCESS_DENIED')
      expect((await save(node, friend, same.toUpperCase())).code).toBe('ACCESS_DENIED')
      expect((await retrieve(node, owner, same)).json).toMatchObject({ payload: shard, version: 1 })
    })

    test('exactly one of many concurrent saves owns the file', async () => {
      const cid = freshCid()
      const sessions = await Promise.all(Array.from({ length: 6 }, () => openTestSession(node)))
      const answers = await Promise.all(sessions.map((session) => save(node, session, cid)))
      expect(answers.map(({ status: code }) => code).sort()).toEqual([200, 403, 403, 403, 403, 403])
    })

    test('only the owner can change a file, in every call', async () => {
      const cid = freshCid()
      await save(node, owner, cid)
      const asked: [string, string, object][] = [
        ['POST', '/api/setSharedKey/1', { payload: shard }],
        ['PUT', '/api/setSharedKey/1', { shareTo: [friend.address] }],
        ['DELETE', '/api/setSharedKey/1', { revokeTo: [owner.address] }],
        ['POST', '/api/transferOwnership/1', { newOwner: friend.address }],
        ['PUT', '/api/fileAccessConditions/1', { conditions: [] }],
        ['DELETE', '/api/fileAccessConditions/1', {}],
        ['POST', '/api/keys/retire/1', {}],
        ['POST', '/api/retrieveSharedKey/1', {}],
        ['POST', '/api/keys/explain/1', { about: owner.address }],
      ]
      for (const [method, path, body] of asked) {
        expect((await callAs(node, friend, method, path, { cid, ...body })).code, `${method} ${path}`).toBe(
          'ACCESS_DENIED',
        )
      }
      expect((await status(node, friend, cid)).code).toBe('ACCESS_DENIED')
      expect((await status(node, owner, cid)).json).toMatchObject({ version: 1, owner: owner.address, sharedTo: [] })
    })

    test('sharing and revoking are idempotent, and a repetition is not a change', async () => {
      const cid = freshCid()
      await save(node, owner, cid)
      const share = (shareTo: string[]) => callAs(node, owner, 'PUT', '/api/setSharedKey/1', { cid, shareTo })
      const revoke = (revokeTo: string[]) => callAs(node, owner, 'DELETE', '/api/setSharedKey/1', { cid, revokeTo })
      expect((await share([friend.address.toUpperCase().replace('0X', '0x'), owner.address])).json).toMatchObject({
        data: { version: 2 },
      })
      expect((await share([friend.address])).json).toMatchObject({ data: { version: 2 } })
      expect((await status(node, owner, cid)).json).toMatchObject({ sharedTo: [friend.address] })
      expect((await retrieve(node, friend, cid)).status).toBe(200)
      expect((await revoke([createTestWallet().address])).json).toMatchObject({ data: { version: 2 } })
      expect((await revoke([friend.address])).json).toMatchObject({ data: { version: 3 } })
      expect((await retrieve(node, friend, cid)).code).toBe('ACCESS_DENIED')
      expect((await share([`0x${'0'.repeat(40)}`])).status).toBe(400)
      expect((await share([])).status).toBe(400)
    })

    test('shares a file with a thousand addresses and no more; keeps all concurrent changes', async () => {
      const cid = freshCid()
      await save(node, owner, cid)
      const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
      const batches = Array.from({ length: 10 }, (_batch, i) =>
        Array.from({ length: 100 }, (_one, j) => address(1 + 100 * i + j)),
      )
      const answers = await Promise.all(
        batches.map((shareTo) => callAs(node, owner, 'PUT', '/api/setSharedKey/1', { cid, shareTo })),
      )
      expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200))
      const { json } = await status(node, owner, cid)
      expect((json as { sharedTo: string[] }).sharedTo).toHaveLength(1000)
      const more = await callAs(node, owner, 'PUT', '/api/setSharedKey/1', { cid, shareTo: [address(5000)] })
      expect(more.code).toBe('KEY_LIMIT')
    })

    test('rejects a shard that does not match its own commitment, and a list under another name', async () => {
      const { keyShards } = generateKey()
      const set = commitShards(keyShards)
      const [first, second] = keyShards
      expect((await save(node, owner, freshCid(), { payload: second, set })).code).toBe('SHARD_MISMATCH')
      expect((await save(node, owner, freshCid(), { payload: first, set: { ...set, id: 'a'.repeat(64) } })).code).toBe(
        'SHARD_MISMATCH',
      )
      const cid = freshCid()
      expect((await save(node, owner, cid, { payload: first, set })).status).toBe(200)
      expect((await retrieve(node, owner, cid)).json).toMatchObject({ payload: first, set })
    })

    test('rejects another key in the same session: its set would be identical to the first', async () => {
      const cid = freshCid()
      await save(node, owner, cid)
      const other = { payload: { key: '3', index: '4' } }
      expect((await save(node, owner, cid, other)).code).toBe('CONFLICT')
      expect((await save(node, owner, cid)).status).toBe(200)
      expect((await retrieve(node, owner, cid)).json).toMatchObject({ payload: shard })
      const again = await openTestSession(node, owner)
      expect((await save(node, again, cid, other)).status).toBe(200)
      expect((await save(node, again, cid, { payload: { key: '5', index: '6' } })).code).toBe('CONFLICT')
    })

    test('transfers a file there and back; a repeated call of the old owner succeeds for thirty days', async () => {
      const cid = freshCid()
      await save(node, owner, cid, { sharedTo: [friend.address] })
      const transfer = (from: TestSession, to: TestSession) =>
        callAs(node, from, 'POST', '/api/transferOwnership/1', { cid, newOwner: to.address })
      expect((await transfer(owner, friend)).text).toBe('{"message":"success"}')
      expect((await transfer(owner, friend)).text).toBe('{"message":"success"}')
      expect((await transfer(owner, await openTestSession(node))).code).toBe('ACCESS_DENIED')
      expect((await transfer(friend, friend)).code).toBe('INVALID_REQUEST')
      expect((await retrieve(node, friend, cid)).json).toMatchObject({ payload: shard })
      expect((await transfer(friend, owner)).status).toBe(200)
      expect((await retrieve(node, owner, cid)).json).toMatchObject({ payload: shard })
      expect((await transfer(owner, friend)).status).toBe(200)
      node.pass(31 * day)
      owner = await openTestSession(node)
      expect((await transfer(owner, friend)).code).toBe('ACCESS_DENIED')
      friend = { ...(await openTestSession(node, friend)) }
    })

    test('a retired key is readable only by its owner, then by no address; its CID stays taken', async () => {
      const cid = freshCid()
      await save(node, owner, cid, { sharedTo: [friend.address] })
      const successor = freshCid()
      expect((await callAs(node, owner, 'POST', '/api/keys/retire/1', { cid, successor })).status).toBe(200)
      expect((await retrieve(node, friend, cid)).code).toBe('ACCESS_DENIED')
      expect((await retrieve(node, owner, cid)).status).toBe(200)
      expect((await status(node, owner, cid)).json).toMatchObject({ state: 'retired', successor })
      expect((await save(node, friend, cid)).code).toBe('ACCESS_DENIED')
    })

    test('lists are paged, with each file once, and only with files of the caller', async () => {
      const one = await openTestSession(node)
      const cids = Array.from({ length: 7 }, freshCid)
      for (const cid of cids) await save(node, one, cid, { sharedTo: [friend.address] })
      const page = async (session: TestSession, query: string) =>
        (await callAs(node, session, 'GET', `/api/keys/list/1?${query}`)).json as {
          files: { cid: string; sharedTo: string[] }[]
          next: string | null
        }
      const found: string[] = []
      for (let after: string | null = ''; after !== null; ) {
        const { files, next }: Awaited<ReturnType<typeof page>> = await page(
          one,
          `role=owner&limit=3${after === '' ? '' : `&after=${after}`}`,
        )
        found.push(...files.map((file) => file.cid))
        expect(files.every((file) => file.sharedTo.length === 1)).toBe(true)
        after = next
      }
      expect(found.sort()).toEqual([...cids].sort())
      const shared = await page(friend, 'role=recipient&limit=1000')
      for (const cid of cids) expect(shared.files.map((file) => file.cid)).toContain(cid)
      expect(shared.files.every((file) => file.sharedTo.length === 0)).toBe(true)
      expect((await page(await openTestSession(node), 'role=recipient')).files).toEqual([])
    })

    test('an unknown CID fails with the words that published clients expect', async () => {
      const answer = await retrieve(node, owner, freshCid())
      expect([answer.status, answer.code]).toEqual([400, 'KEY_NOT_FOUND'])
      expect(answer.text).toContain('null')
      expect((await retrieve(node, owner, 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52z1')).code).toBe(
        'INVALID_CID',
      )
    })

    test('only owner and recipients see the recipients of a file', async () => {
      const cid = freshCid()
      await save(node, owner, cid, { sharedTo: [friend.address] })
      const path = `/api/fileAccessConditions/get/${cid}`
      expect((await node.call('GET', path)).json).toEqual({
        aggregator: '',
        conditions: [],
        conditionsSolana: [],
        conditionsCoreum: [],
        sharedTo: [],
        owner: owner.address,
        cid,
      })
      expect((await callAs(node, friend, 'GET', path)).json).toMatchObject({ sharedTo: [friend.address] })
      expect((await callAs(node, await openTestSession(node), 'GET', path)).json).toMatchObject({ sharedTo: [] })
    })
  })
})

describe('a seal', () => {
  test('opens for its own purpose and no other', async () => {
    await using node = await startTestNode()
    await using other = await startTestNode({ CAIRN_KEYNODE_SECRET: '22'.repeat(32) })
    const subject = { cid: freshCid(), owner: createTestWallet().address, version: 3 }
    const sealed = sealShard(node.context, subject, shard)
    expect(openShard(node.context, subject, sealed)).toEqual(shard)
    expect(Buffer.from(sealed).includes('"key"')).toBe(false)
    const damaged = { code: 'DATA_DAMAGED' }
    for (const wrong of [{ cid: freshCid() }, { owner: createTestWallet().address }, { version: 4 }])
      expect(() => openShard(node.context, { ...subject, ...wrong }, sealed)).toThrow(expect.objectContaining(damaged))
    expect(() => openShard(other.context, subject, sealed)).toThrow(expect.objectContaining(damaged))
    for (let at = 0; at < sealed.length; at += 5) {
      const changed = Uint8Array.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => openShard(node.context, subject, changed)).toThrow(expect.objectContaining(damaged))
    }
  })
})
