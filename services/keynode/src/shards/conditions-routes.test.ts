// Conditions over the routes of published clients: saved with a key, set, replaced, removed, read.
import { commitShards, generateKey } from '@cairn/crypto'
import { zeroAddress } from '@cairn/protocol'
import { type Anvil, startAnvil } from '@cairn/service/anvil-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { callAs, openTestSession, startTestNode, type TestNode, type TestSession } from '../test-node.fixture.ts'
import { createCids } from './cids.fixture.ts'

const shard = { key: '1', index: '2' }
const path = '/api/fileAccessConditions/1'

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil?.[Symbol.asyncDispose]())

const freshCid = createCids('condition')

/** Met by every caller, or by none, for the duration of a test. */
const rule = (id: number, isMet: boolean) => ({
  id,
  chain: 'local',
  method: 'getBlockNumber',
  standardContractType: '',
  returnValueTest: { comparator: '>=', value: isMet ? '0' : '999999999' },
})
const met = [rule(1, true)]
const unmet = [rule(1, false)]

describeOnDatabases('on %s', (prepare) => {
  describe('conditions', () => {
    let node: TestNode
    let owner: TestSession
    let friend: TestSession
    let stranger: TestSession
    beforeAll(async () => {
      const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: [anvil.url], confirmations: 0 } }
      node = await startTestNode({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }), ...(await prepare()) })
      owner = await openTestSession(node)
      friend = await openTestSession(node)
      stranger = await openTestSession(node)
    })
    afterAll(() => node?.[Symbol.asyncDispose]())

    const save = (cid: string, body: object = {}, session = owner) =>
      callAs(node, session, 'POST', path, { cid, payload: shard, conditions: met, ...body })
    const set = (cid: string, body: object, session = owner) => callAs(node, session, 'PUT', path, { cid, ...body })
    const remove = (cid: string, session = owner) => callAs(node, session, 'DELETE', path, { cid })
    const retrieve = (cid: string, session: TestSession) =>
      callAs(node, session, 'POST', '/api/retrieveSharedKey/1', { cid })
    const get = (cid: string, session?: TestSession) => {
      const asked = `/api/fileAccessConditions/get/${cid}`
      return session === undefined ? node.call('GET', asked) : callAs(node, session, 'GET', asked)
    }
    const share = (cid: string, shareTo: string[]) =>
      callAs(node, owner, 'PUT', '/api/setSharedKey/1', { cid, shareTo })
    const stateOf = async (cid: string) => {
      const { json } = await callAs(node, owner, 'GET', `/api/keys/status/1/${cid}`)
      return json as { version: number; digest: string; hasConditions: boolean; owner: string; sharedTo: string[] }
    }

    test('a key is saved with conditions: callers that meet them can read it, and all callers can read the conditions', async () => {
      const cid = freshCid()
      expect(await save(cid)).toMatchObject({ status: 200, json: { message: 'success', data: { version: 1 } } })
      expect((await retrieve(cid, stranger)).json).toMatchObject({ payload: shard, version: 1 })
      expect((await get(cid)).json).toMatchObject({
        aggregator: '',
        conditions: met,
        conditionsSolana: [],
        conditionsCoreum: [],
        owner: owner.address,
        cid,
      })
      const closed = freshCid()
      await save(closed, { conditions: unmet })
      expect((await retrieve(closed, stranger)).code).toBe('ACCESS_DENIED')
      expect((await retrieve(closed, owner)).status).toBe(200)
    })

    test('a repeated call is the same change when saving, setting and removing', async () => {
      const cid = freshCid()
      await save(cid, { conditions: unmet })
      const saved = await stateOf(cid)
      expect((await save(cid, { conditions: unmet })).json).toMatchObject({ data: { version: 1 } })
      expect(await stateOf(cid)).toEqual(saved)
      const both = { conditions: [rule(1, false), rule(2, true)], aggregator: '([1] or [2])' }
      expect((await set(cid, both)).json).toMatchObject({ message: 'success', data: { version: 2 } })
      const changed = await stateOf(cid)
      // Another key order, other cases, extra spaces: the same conditions.
      const same = both.conditions.map((each) => Object.fromEntries(Object.entries(each).reverse()))
      const alike = { chainType: 'evm', aggregator: ' ([1] or [2]) ', conditions: same, decryptionType: 'address' }
      for (const body of [both, alike]) {
        expect((await set(cid, body)).json).toMatchObject({ data: { version: 2 } })
        expect(await stateOf(cid)).toEqual(changed)
      }
      expect((await retrieve(cid, stranger)).status).toBe(200)
      for (let round = 0; round < 2; round++)
        expect((await remove(cid)).json).toMatchObject({ message: 'success', data: { version: 3 } })
      expect((await retrieve(cid, stranger)).code).toBe('ACCESS_DENIED')
    })

    test('a later set replaces the one before; the key and the addresses stay', async () => {
      const cid = freshCid()
      await save(cid, { conditions: unmet, sharedTo: [friend.address] })
      for (const isMet of [true, false, true]) {
        await set(cid, { conditions: [rule(7, isMet)] })
        expect((await get(cid)).json).toMatchObject({ conditions: [rule(7, isMet)] })
        expect((await retrieve(cid, stranger)).status).toBe(isMet ? 200 : 403)
        expect((await retrieve(cid, friend)).json).toMatchObject({ payload: shard })
      }
      expect(await stateOf(cid)).toMatchObject({ version: 4, hasConditions: true, sharedTo: [friend.address] })
    })

    test('an empty list removes them, as published clients send it', async () => {
      const cid = freshCid()
      await save(cid)
      expect((await retrieve(cid, stranger)).status).toBe(200)
      for (const body of [
        { conditions: [] },
        { conditions: [], aggregator: '', chainType: 'evm', decryptionType: 'ADDRESS' },
      ])
        expect((await set(cid, body)).json).toMatchObject({ message: 'success', data: { version: 2 } })
      expect((await stateOf(cid)).hasConditions).toBe(false)
      expect((await get(cid)).json).toMatchObject({ aggregator: '', conditions: [] })
      expect((await retrieve(cid, stranger)).code).toBe('ACCESS_DENIED')
      expect((await retrieve(cid, owner)).status).toBe(200)
      // With a new key an empty list is a mistake.
      const fresh = freshCid()
      expect((await save(fresh, { conditions: [] })).code).toBe('INVALID_CONDITION')
      expect((await get(fresh)).code).toBe('KEY_NOT_FOUND')
    })

    test('only the owner sets, replaces or removes them; a rejected attempt changes nothing', async () => {
      const cid = freshCid()
      await save(cid, { conditions: unmet, sharedTo: [friend.address] })
      const before = await stateOf(cid)
      expect(before).toMatchObject({ version: 1, hasConditions: true, owner: owner.address })
      for (const session of [friend, stranger]) {
        for (const work of [
          save(cid, {}, session),
          save(cid, { conditions: unmet }, session),
          save(cid, { decryptionType: 'ACCESS_CONDITIONS' }, session),
          set(cid, { conditions: met }, session),
          set(cid, { conditions: [] }, session),
          remove(cid, session),
        ])
          expect((await work).code).toBe('ACCESS_DENIED')
      }
      expect((await node.call('PUT', path, { body: { address: owner.address, cid, conditions: met } })).status).toBe(
        401,
      )
      expect(await stateOf(cid)).toEqual(before)
      expect((await retrieve(cid, stranger)).code).toBe('ACCESS_DENIED')
      expect((await set(freshCid(), { conditions: met })).code).toBe('KEY_NOT_FOUND')
      expect((await remove(freshCid())).code).toBe('KEY_NOT_FOUND')
    })

    test('owner and recipients see the recipients of a file; readers by conditions, and all others, do not', async () => {
      const cid = freshCid()
      await save(cid, { sharedTo: [friend.address] })
      const sharedTo = async (session?: TestSession) =>
        ((await get(cid, session)).json as { sharedTo: string[] }).sharedTo
      expect((await retrieve(cid, stranger)).status).toBe(200)
      for (const session of [owner, friend]) expect(await sharedTo(session)).toEqual([friend.address])
      for (const session of [stranger, undefined]) expect(await sharedTo(session)).toEqual([])
      await share(cid, [stranger.address])
      expect(await sharedTo(stranger)).toEqual([friend.address, stranger.address].sort())
      await callAs(node, owner, 'DELETE', '/api/setSharedKey/1', { cid, revokeTo: [stranger.address] })
      expect(await sharedTo(stranger)).toEqual([])
      // Revoked, but the conditions are still met.
      expect((await retrieve(cid, stranger)).status).toBe(200)
      expect((await node.call('GET', `/api/fileAccessConditions/get/${cid}`, { token: 'jwt:nonsense' })).status).toBe(
        401,
      )
    })

    test('rejects an invalid or impossible condition with its whole set, and stores none of it', async () => {
      const cid = freshCid()
      const wrong: [object, string][] = [
        [{ conditions: [rule(1, true), rule(1, true)], aggregator: '([1] and [1])' }, 'INVALID_CONDITION'],
        [{ conditions: [rule(1, true), rule(2, true)] }, 'INVALID_CONDITION'],
        [{ conditions: [rule(1, true), rule(2, true)], aggregator: '([1] and [3])' }, 'INVALID_CONDITION'],
        [{ conditions: [{ ...rule(1, true), method: 'getBalanceOf' }] }, 'INVALID_CONDITION'],
        [{ conditions: [{ ...rule(1, true), chain: 'Nowhere' }] }, 'CHAIN_NOT_SUPPORTED'],
        [{ conditions: met, chainType: 'radix' }, 'INVALID_CONDITION'],
        [{ conditions: met, decryptionType: 'ALL' }, 'INVALID_CONDITION'],
        [{ conditions: Array.from({ length: 11 }, (_each, i) => rule(i + 1, true)) }, 'INVALID_CONDITION'],
      ]
      for (const [body, code] of wrong) expect([body, (await save(cid, body)).code]).toEqual([body, code])
      expect((await get(cid)).code).toBe('KEY_NOT_FOUND')
      await save(cid, { conditions: unmet })
      const before = await stateOf(cid)
      expect(before).toMatchObject({ version: 1, hasConditions: true, owner: owner.address })
      for (const [body, code] of wrong) expect([body, (await set(cid, body)).code]).toEqual([body, code])
      expect(await stateOf(cid)).toEqual(before)
    })

    test('rejects a shard that does not match its commitments, with or without conditions', async () => {
      const { keyShards } = generateKey()
      const [first, second] = keyShards
      const cid = freshCid()
      const committed = commitShards(keyShards)
      expect((await save(cid, { payload: second, set: committed })).code).toBe('SHARD_MISMATCH')
      expect((await get(cid)).code).toBe('KEY_NOT_FOUND')
      expect((await save(cid, { payload: first, set: committed })).status).toBe(200)
      expect((await retrieve(cid, stranger)).json).toMatchObject({ payload: first, set: committed })
    })

    test('a key left to its conditions has no owner: a repeated call is the same change, any other is rejected', async () => {
      const cid = freshCid()
      const left = { decryptionType: 'ACCESS_CONDITIONS', sharedTo: [friend.address] }
      expect((await save(cid, left)).json).toMatchObject({ data: { version: 1 } })
      expect((await save(cid, left)).json).toMatchObject({ data: { version: 1 } })
      expect((await get(cid)).json).toMatchObject({ owner: zeroAddress, conditions: met, sharedTo: [] })
      expect((await retrieve(cid, stranger)).json).toMatchObject({ payload: shard })
      for (const work of [
        save(cid, { ...left, conditions: unmet }),
        save(cid, { ...left, payload: { key: '3', index: '4' } }),
        save(cid, left, stranger),
        save(cid),
        set(cid, { conditions: unmet }),
        set(cid, { conditions: [] }),
        remove(cid),
        share(cid, [stranger.address]),
        callAs(node, owner, 'POST', '/api/transferOwnership/1', { cid, newOwner: stranger.address }),
        callAs(node, owner, 'POST', '/api/keys/retire/1', { cid }),
        callAs(node, owner, 'GET', `/api/keys/status/1/${cid}`),
      ])
        expect((await work).code).toBe('ACCESS_DENIED')
      expect((await get(cid)).json).toMatchObject({ owner: zeroAddress, conditions: met })
      expect((await retrieve(cid, owner)).json).toMatchObject({ payload: shard })
      const closed = freshCid()
      await save(closed, { ...left, conditions: unmet })
      expect((await retrieve(closed, friend)).code, 'the conditions alone').toBe('ACCESS_DENIED')
    })

    test('only the owner of a key saved without conditions can add them, and leave the key to them', async () => {
      const cid = freshCid()
      await callAs(node, owner, 'POST', '/api/setSharedKey/1', { cid, payload: shard })
      expect((await get(cid)).json).toMatchObject({ conditions: [], owner: owner.address })
      expect((await save(cid, { decryptionType: 'ACCESS_CONDITIONS' }, stranger)).code).toBe('ACCESS_DENIED')
      expect((await save(cid, { decryptionType: 'ACCESS_CONDITIONS' })).json).toMatchObject({ data: { version: 2 } })
      expect((await save(cid, { decryptionType: 'ACCESS_CONDITIONS' })).json).toMatchObject({ data: { version: 2 } })
      expect((await get(cid)).json).toMatchObject({ conditions: met, owner: zeroAddress })
      expect((await retrieve(cid, stranger)).json).toMatchObject({ payload: shard })
    })

    test('a key left to its conditions later is governed by them alone, and a repeated call is the same change', async () => {
      const cid = freshCid()
      await save(cid, { conditions: unmet, sharedTo: [friend.address] })
      expect((await set(cid, { conditions: met, decryptionType: 'ACCESS_CONDITIONS' }, friend)).code).toBe(
        'ACCESS_DENIED',
      )
      expect((await set(cid, { conditions: [], decryptionType: 'ACCESS_CONDITIONS' })).code).toBe('INVALID_CONDITION')
      expect((await retrieve(cid, friend)).status).toBe(200)
      const left = { conditions: unmet, decryptionType: 'access_conditions' }
      expect((await set(cid, left)).json).toMatchObject({ message: 'success', data: { version: 2 } })
      expect((await set(cid, left)).json).toMatchObject({ message: 'success', data: { version: 2 } })
      expect((await get(cid)).json).toMatchObject({ owner: zeroAddress, conditions: unmet, sharedTo: [] })
      for (const work of [
        set(cid, { conditions: met }),
        set(cid, { ...left, conditions: met }),
        set(cid, left, stranger),
        remove(cid),
        share(cid, [stranger.address]),
        retrieve(cid, owner),
        retrieve(cid, friend),
      ])
        expect((await work).code).toBe('ACCESS_DENIED')
      const open = freshCid()
      await save(open, { conditions: unmet })
      await set(open, { conditions: met, decryptionType: 'ACCESS_CONDITIONS' })
      expect((await retrieve(open, stranger)).json).toMatchObject({ payload: shard })
    })

    test('a retired key has no conditions', async () => {
      const cid = freshCid()
      await save(cid, { sharedTo: [friend.address] })
      expect((await callAs(node, owner, 'POST', '/api/keys/retire/1', { cid })).status).toBe(200)
      for (const session of [friend, stranger]) expect((await retrieve(cid, session)).code).toBe('ACCESS_DENIED')
      expect((await get(cid)).json).toMatchObject({ conditions: [], sharedTo: [], owner: owner.address })
    })
  })
})
