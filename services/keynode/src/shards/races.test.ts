// Concurrent changes of one file, and of one session, to one process and to two replicas of a node. Everything that
// succeeded is stored exactly once, and nothing that was rejected is.
import { commitShards, generateKey } from '@cairn/crypto'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { deriveNodeKeys } from '../identity.ts'
import { publicKeyOf } from '../sessions/tokens.ts'
import {
  type Answer,
  callAs,
  createTestWallet,
  createText,
  openTestSession,
  openWith,
  startTestNode,
  type TestNode,
  type TestSession,
} from '../test-node.fixture.ts'
import { createCids } from './cids.fixture.ts'

/** Four that never answer: saves here stay provisional and wait. */
const peers = [2, 3, 4, 5]
  .map((node) => `${node}=http://127.0.0.1:9#${publicKeyOf(deriveNodeKeys(Buffer.alloc(32, node)).signing)}`)
  .join(',')
const shard = { key: '1', index: '1' }
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, 'a')}`

const freshCid = createCids('race')

function suite(name: string, prepare: () => Promise<Record<string, string>[]>): void {
  describe(name, () => {
    const nodes: TestNode[] = []
    let owner: TestSession
    let friend: TestSession
    let stranger: TestSession
    beforeAll(async () => {
      const time = { ms: Date.now() }
      for (const environment of await prepare())
        nodes.push(await startTestNode({ CAIRN_KEYNODE_PEERS: peers, ...environment }, { time }))
      owner = await openTestSession(nodeFor(0))
      friend = await openTestSession(nodeFor(0))
      stranger = await openTestSession(nodeFor(0))
    })
    afterAll(async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]()
    })

    const nodeFor = (turn: number): TestNode => {
      const node = nodes[turn % nodes.length]
      if (node === undefined) throw new Error('no node runs')
      return node
    }
    let turns = 0
    const as = (session: TestSession, method: string, path: string, body?: object) =>
      callAs(nodeFor(turns++), session, method, path, body)
    const save = (cid: string, session = owner, body: object = {}) =>
      as(session, 'POST', '/api/setSharedKey/1', { cid, payload: shard, ...body })
    const share = (cid: string, shareTo: string[], session = owner) =>
      as(session, 'PUT', '/api/setSharedKey/1', { cid, shareTo })
    const revoke = (cid: string, revokeTo: string[]) => as(owner, 'DELETE', '/api/setSharedKey/1', { cid, revokeTo })
    const transfer = (cid: string, newOwner: string, session = owner) =>
      as(session, 'POST', '/api/transferOwnership/1', { cid, newOwner, resetSharedTo: false })
    const retrieve = (cid: string, session: TestSession) => as(session, 'POST', '/api/retrieveSharedKey/1', { cid })
    const stateOf = async (cid: string, session = owner) => {
      const { json } = await as(session, 'GET', `/api/keys/status/1/${cid}`)
      return json as { version: number; sharedTo: string[]; owner: string; state: string; setId: string }
    }
    const codes = (answers: readonly Answer[]) => answers.map(({ status, code }) => (status === 200 ? 'done' : code))

    test('keeps all concurrent shares and revocations of different addresses, each as a separate change', async () => {
      const cid = freshCid()
      const gone = Array.from({ length: 8 }, (_address, i) => addressOf(i))
      const added = Array.from({ length: 8 }, (_address, i) => addressOf(100 + i))
      await save(cid, owner, { sharedTo: gone })
      const answers = await Promise.all([
        ...added.map((address) => share(cid, [address])),
        ...gone.map((address) => revoke(cid, [address])),
      ])
      expect(codes(answers)).toEqual(answers.map(() => 'done'))
      const { version, sharedTo } = await stateOf(cid)
      expect(sharedTo).toEqual(added)
      expect(version).toBe(17)
      const versions = answers.map(({ json }) => (json as { data: { version: number } }).data.version)
      expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_version, i) => i + 2))
    })

    test('exactly one of many concurrent transfers succeeds, and concurrent shares get a definite answer', async () => {
      for (let round = 0; round < 4; round++) {
        const cid = freshCid()
        await save(cid)
        const answers = await Promise.all([
          transfer(cid, friend.address),
          transfer(cid, stranger.address),
          share(cid, [addressOf(1)]),
          transfer(cid, friend.address),
          share(cid, [addressOf(2)]),
        ])
        for (const { status, code } of answers) if (status !== 200) expect(code).toBe('ACCESS_DENIED')
        const winner = answers[0]?.status === 200 ? friend : stranger
        const loser = winner === friend ? stranger : friend
        expect(codes([answers[0], answers[1]].filter((one) => one !== undefined)).sort()).toEqual([
          'ACCESS_DENIED',
          'done',
        ])
        expect(answers[3]?.status, 'the same transfer').toBe(answers[0]?.status)
        expect((await retrieve(cid, winner)).json).toMatchObject({ payload: shard })
        expect(codes([await retrieve(cid, loser), await retrieve(cid, owner)])).toEqual([
          'ACCESS_DENIED',
          'ACCESS_DENIED',
        ])
        const shared = [1, 2].flatMap((i) => (answers[2 * i]?.status === 200 ? [addressOf(i)] : []))
        expect(await stateOf(cid, winner)).toMatchObject({ owner: winner.address, sharedTo: shared })
      }
    })

    test('one of many first saves owns the file, and nothing of the others remains', async () => {
      for (let round = 0; round < 4; round++) {
        const cid = freshCid()
        const sessions = [owner, friend, stranger]
        const answers = await Promise.all(
          sessions.map((session, i) =>
            save(cid, session, { payload: { key: String(i), index: '1' }, sharedTo: [addressOf(i)] }),
          ),
        )
        expect(codes(answers).sort()).toEqual(['ACCESS_DENIED', 'ACCESS_DENIED', 'done'])
        const i = answers.findIndex(({ status }) => status === 200)
        const session = sessions[i] ?? owner
        expect((await retrieve(cid, session)).json).toMatchObject({ payload: { key: String(i), index: '1' } })
        expect(await stateOf(cid, session)).toMatchObject({ sharedTo: [addressOf(i)], version: 1 })
      }
    })

    test('concurrent repetitions of the first save count as one save', async () => {
      const cid = freshCid()
      const answers = await Promise.all(Array.from({ length: 10 }, () => save(cid)))
      expect(codes(answers)).toEqual(answers.map(() => 'done'))
      expect((await stateOf(cid)).version).toBe(1)
    })

    test('several sets saved at once are all pending, and none replaces the one in force', async () => {
      const cid = freshCid()
      const sets = Array.from({ length: 6 }, () => {
        const { keyShards } = generateKey()
        return { payload: keyShards[0], set: commitShards(keyShards) }
      })
      const [first, ...others] = sets
      await save(cid, owner, first)
      const answers = await Promise.all([...others.map((one) => save(cid, owner, one)), share(cid, [addressOf(1)])])
      expect(codes(answers)).toEqual(answers.map(() => 'done'))
      const answer = await as(owner, 'POST', '/api/retrieveSharedKey/1', { cid, withAlternatives: true })
      const kept = answer.json as { payload: object; set: object; alternatives: { payload: object; set: object }[] }
      expect([kept, ...kept.alternatives].map(({ set }) => set)).toEqual(
        expect.arrayContaining(sets.map(({ set }) => set)),
      )
      for (const one of [kept, ...kept.alternatives])
        expect(sets).toContainEqual(expect.objectContaining({ payload: one.payload, set: one.set }))
      expect((await stateOf(cid)).sharedTo).toEqual([addressOf(1)])
    })

    test('concurrent retirement, sharing and transfer are each atomic', async () => {
      for (let round = 0; round < 4; round++) {
        const cid = freshCid()
        await save(cid, owner, { sharedTo: [stranger.address] })
        const [retired, shared, given] = await Promise.all([
          as(owner, 'POST', '/api/keys/retire/1', { cid }),
          share(cid, [addressOf(1)]),
          transfer(cid, friend.address),
        ])
        // The first one wins: a retired key cannot be transferred, and a transferred one cannot be retired by its old
        // owner.
        const isRetired = retired?.status === 200
        expect([given?.status, given?.code]).toEqual(isRetired ? [409, 'KEY_RETIRED'] : [200, null])
        const { state, sharedTo } = await stateOf(cid, isRetired ? owner : friend)
        expect(state).toBe(isRetired ? 'retired' : 'provisional')
        if (!isRetired) expect(sharedTo).toContain(stranger.address)
        if (!isRetired && shared?.status === 200) expect(sharedTo).toContain(addressOf(1))
        expect((await retrieve(cid, stranger)).code).toBe(isRetired ? 'ACCESS_DENIED' : null)
      }
    })

    test('after a revocation is acknowledged, no request returns the key, however many are sent', async () => {
      const cid = freshCid()
      await save(cid, owner, { sharedTo: [friend.address] })
      const asking = Array.from({ length: 12 }, () => retrieve(cid, friend))
      const revoked = revoke(cid, [friend.address]).then(async (answer) => {
        expect(answer.status).toBe(200)
        return codes(await Promise.all(Array.from({ length: 6 }, () => retrieve(cid, friend))))
      })
      await Promise.all(asking)
      expect(await revoked).toEqual(Array.from({ length: 6 }, () => 'ACCESS_DENIED'))
    })

    test('concurrent uses of one refresh token count as one renewal', async () => {
      const wallet = createTestWallet()
      const opened = await openWith(nodeFor(0), wallet, [await createText(nodeFor(0), wallet)])
      const { refreshToken } = opened.json as { refreshToken: string }
      const renew = (token: string) =>
        nodeFor(turns++).call('PUT', '/api/keys/session/1', { body: { address: wallet.address, refreshToken: token } })
      const answers = await Promise.all(Array.from({ length: 10 }, () => renew(refreshToken)))
      expect(codes(answers)).toEqual(answers.map(() => 'done'))
      const next = new Set(answers.map(({ json }) => (json as { refreshToken: string }).refreshToken))
      expect(next.size).toBe(1)
      expect((await renew([...next][0] ?? '')).status).toBe(200)
    })

    test('a session that is closed during its renewal stays closed', async () => {
      for (let round = 0; round < 4; round++) {
        const session = await openTestSession(nodeFor(0))
        const renew = () =>
          nodeFor(turns++).call('PUT', '/api/keys/session/1', {
            body: { address: session.address, refreshToken: session.refreshToken },
            token: session.refreshToken.split('.')[1] ?? '',
            sessionKey: session.sessionKey,
          })
        const [closed, ...renewed] = await Promise.all([as(session, 'DELETE', '/api/keys/session/1'), renew(), renew()])
        expect(closed?.status).toBe(200)
        for (const { status, json } of renewed) {
          if (status !== 200) continue
          const { token } = json as { token: string }
          expect((await retrieve(freshCid(), { ...session, token })).code).toBe('SESSION_EXPIRED')
        }
        expect((await renew()).code).toBe('SESSION_EXPIRED')
      }
    })

    test('one proof and one text are valid once, in whichever process', async () => {
      const wallet = createTestWallet()
      const text = await createText(nodeFor(0), wallet)
      const opened = await Promise.all(Array.from({ length: 8 }, (_call, i) => openWith(nodeFor(i), wallet, [text])))
      expect(codes(opened).filter((code) => code === 'done')).toHaveLength(1)
    })
  })
}

suite('on SQLite', async () => [{}])

describe('on PostgreSQL', () => {
  let postgres: PostgresFixture
  beforeAll(async () => {
    postgres = await startPostgres(migrations)
  })
  afterAll(() => postgres?.stop())
  suite('two replicas', async () => {
    const environment = { CAIRN_KEYNODE_DATABASE_URL: await postgres.createDatabase() }
    return [environment, environment]
  })
})
