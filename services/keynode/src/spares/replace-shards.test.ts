// Five nodes replace the shards of keys without their owners: after one node was lost, with nodes that lie, are behind, stop
// anywhere or are not asked, and during changes by owners.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { commitShards, dealSpare, findKey, generateKey, type ShardAnswer, splitKey } from '@cairn/crypto'
import { CairnError, type KeyShard, type Spare } from '@cairn/protocol'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../tests/listen.ts'
import type { Caller } from '../context.ts'
import { migrations } from '../db/database.ts'
import { signStatement } from '../sessions/tokens.ts'
import { retrieveRecord } from '../shards/access/retrieve.ts'
import { retireRecord } from '../shards/changes/retire.ts'
import { saveRecord } from '../shards/changes/save.ts'
import { revokeRecord, shareRecord } from '../shards/changes/share.ts'
import { transferRecord } from '../shards/changes/transfer.ts'
import { createCids } from '../shards/cids.fixture.ts'
import { callerOf, type FivePeers, startFivePeers } from '../shards/peers/peers.fixture.ts'
import { promoteRecord } from '../shards/peers/promote.ts'
import { confirmRestored, repairRecord } from '../shards/peers/repair.ts'
import { sealSpare } from '../shards/spares.ts'
import { describeRecord } from '../shards/status.ts'
import { findOtherSets, findRecord } from '../shards/store.ts'
import { answerPeer } from './answer.ts'
import { writeConsent } from './consent.ts'
import { countSpares, listSpares } from './list.ts'
import { replaceShards } from './replace-shards.ts'
import { sealMessage } from './sealed-message.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)

const all = [1, 2, 3, 4, 5]
const owner = callerOf('a')
const friend = callerOf('b')
const other = callerOf('c')
const freshCid = createCids('replace')
const never = new AbortController().signal

type Dealt = { masterKey: string; keyShards: KeyShard[]; spares: Spare[] }

function deal(masterKey = generateKey().masterKey): Dealt {
  return { masterKey, keyShards: splitKey(masterKey), spares: dealSpare(masterKey) }
}

/** @param runs number of random sequences */
function suite(name: string, start: () => Promise<FivePeers>, runs: number): void {
  describe(name, () => {
    let peers: FivePeers
    beforeAll(async () => {
      peers = await start()
    })
    beforeEach(async () => {
      // Each test decides who participates, with its own files.
      for (const node of all) await consent(node, null)
      for (const context of peers.all) {
        await context.db.write(async (trx) => {
          await trx.deleteFrom('key').execute()
          await trx.deleteFrom('spare').execute()
        })
      }
    })
    afterAll(() => peers?.[Symbol.asyncDispose]())

    const consent = (node: number, until: number | null = peers.of(node).clock.now() + 1) =>
      peers.of(node).db.write((trx) => writeConsent(trx, until))
    const pass = async (node: number) => (await replaceShards(peers.of(node), never)) ?? { steps: 0, left: 0 }
    /** Lets the nodes do everything that they can. */
    const passAll = async (nodes: readonly number[] = all) => {
      for (let steps = 1; steps > 0; ) {
        steps = 0
        for (const node of nodes) steps += (await pass(node)).steps
      }
    }
    const save = async (
      cid: string,
      { keyShards, spares }: Dealt,
      {
        caller = owner,
        nodes = all,
        sharedTo = [] as string[],
      }: { caller?: Caller; nodes?: number[]; sharedTo?: string[] } = {},
    ) => {
      const set = commitShards(keyShards)
      for (const node of nodes) {
        const payload = keyShards[node - 1] as KeyShard
        const spare = spares[node - 1]
        await saveRecord(peers.of(node), caller, { cid, cidAsGiven: cid, payload, set, spare, sharedTo })
      }
      for (const node of nodes) await promoteRecord(peers.of(node), cid)
      return set.id
    }
    const saveFresh = async (options: Parameters<typeof save>[2] = {}) => {
      const cid = freshCid()
      const key = deal()
      return { cid, ...key, setId: await save(cid, key, options), spareId: key.spares[0]?.set.id ?? '' }
    }
    /** What a node returns to the owner: the shard in force and others. */
    const answersOf = async (node: number, cid: string): Promise<ShardAnswer[]> => {
      const record = await findRecord(peers.of(node).db.read, cid)
      if (record === undefined) return []
      try {
        const { payload, set, alternatives = [] } = await retrieveRecord(peers.of(node), record, true)
        return [{ payload, set }, ...alternatives].map((one) => ({ node, shard: one.payload, set: one.set }))
      } catch (error) {
        if (CairnError.is(error, 'KEY_UNCONFIRMED')) return []
        throw error
      }
    }
    /** The key that a reader recovers from these nodes; undefined if no set has three shards there. */
    const recover = async (cid: string, nodes: readonly number[] = all): Promise<string | undefined> => {
      const answers = (await Promise.all(nodes.map((node) => answersOf(node, cid)))).flat()
      const bySet = Map.groupBy(answers, ({ set }) => set?.id)
      for (const shards of bySet.values()) if (shards.length >= 3) return (await findKey(shards)).masterKey
      return undefined
    }
    const setsOf = async (node: number, cid: string): Promise<string[]> => {
      const record = await findRecord(peers.of(node).db.read, cid)
      const others = await findOtherSets(peers.of(node).db.read, cid)
      return [record?.row.set_id ?? '', ...others.map(({ set_id }) => set_id)]
    }
    const sparesOf = (node: number, cid: string) =>
      peers.of(node).db.read.selectFrom('spare').selectAll().where('cid', '=', cid).execute()
    /** Makes a node lie by replacing its parts with others. */
    const lie = async (node: number, cid: string, spareId: string) => {
      const context = peers.of(node)
      const wrong = Buffer.from(JSON.stringify(dealSpare(generateKey().masterKey)[node - 1]?.parts))
      const parts = sealSpare(context, { cid, spareId, column: 'parts' }, wrong)
      await context.db.write((trx) => trx.updateTable('spare').set({ parts }).where('cid', '=', cid).execute())
    }

    test('pages contain both spare sets of a key: the one in force, and one dealt after it', async () => {
      const { db, clock } = peers.of(1)
      const files = [await saveFresh(), await saveFresh(), await saveFresh()]
      for (const { cid, setId } of files) {
        const [row] = await sparesOf(1, cid)
        if (row === undefined) throw new Error('no spare set')
        const before = { ...row, set_id: 'of before', spare_id: setId }
        await db.write((trx) => trx.insertInto('spare').values(before).execute())
      }
      const until = clock.now() + 1
      for (const limit of [1, 2, 3, 100]) {
        const found: string[] = []
        for (let after = ''; ; ) {
          const rows = await listSpares(db.read, { until, after, limit })
          const last = rows.at(-1)
          if (last === undefined) break
          found.push(...rows.map(({ cid, set_id: setId }) => `${cid} ${setId}`))
          after = last.cid
        }
        const wanted = files.flatMap(({ cid, setId }) => [`${cid} ${setId}`, `${cid} of before`])
        expect(found.toSorted()).toEqual(wanted.toSorted())
      }
      const cids = files.map(({ cid }) => cid)
      expect(await listSpares(db.read, { until, cids })).toHaveLength(6)
    })

    test('replaces a lost node: five new shards, none of the old ones, keys and rights unchanged', async () => {
      const files = await Promise.all([1, 2, 3].map(() => saveFresh({ sharedTo: [friend.address] })))
      const [first] = files
      if (first === undefined) throw new Error('there are files')
      await peers.replace(3)
      for (const node of all) await consent(node)
      expect(await pass(1)).toEqual({ steps: 3, left: 3 })
      await passAll()
      for (const { cid, masterKey, setId, spareId } of files) {
        for (const node of all) {
          expect(await setsOf(node, cid)).toEqual([spareId])
          expect(await sparesOf(node, cid)).toEqual([])
          const record = await findRecord(peers.of(node).db.read, cid)
          expect(record?.sharedTo).toEqual([friend.address])
          expect(record?.row).toMatchObject({ owner: owner.address, state: 'held', restored_at: null })
        }
        const digests = await Promise.all(
          all.map(async (node) => (await findRecord(peers.of(node).db.read, cid))?.row.digest),
        )
        expect(new Set(digests).size).toBe(1)
        expect(spareId).not.toBe(setId)
        for (const nodes of [[1, 2, 3], [3, 4, 5], all]) expect(await recover(cid, nodes)).toBe(masterKey)
      }
      // Owners change the key at the new node like at the others, and deal another spare set with the next save.
      await revokeRecord(peers.of(3), owner, first.cid, [friend.address])
      expect((await describeRecord(peers.of(3), owner, first.cid)).hasSpare).toBe(false)
      const again = deal(first.masterKey)
      await save(first.cid, again, { caller: callerOf('a', 'later') })
      expect((await describeRecord(peers.of(3), owner, first.cid)).hasSpare).toBe(true)
      for (const node of all) await consent(node)
      await passAll()
      expect(await setsOf(3, first.cid)).toEqual([again.spares[0]?.set.id])
      expect(await recover(first.cid, [1, 3, 5])).toBe(first.masterKey)
    })

    test('refreshes the shards of five nodes while two of them lie about their parts', async () => {
      const { cid, masterKey, spareId } = await saveFresh()
      await lie(2, cid, spareId)
      await lie(5, cid, spareId)
      for (const node of all) await consent(node)
      await passAll()
      for (const node of all) expect(await setsOf(node, cid)).toEqual([spareId])
      for (const nodes of [
        [1, 2, 3],
        [2, 4, 5],
      ])
        expect(await recover(cid, nodes)).toBe(masterKey)
    })

    test('without the parts of three nodes nothing changes', async () => {
      const { cid, masterKey, setId, spareId } = await saveFresh()
      for (const node of [1, 2, 4]) await lie(node, cid, spareId)
      for (const node of all) await consent(node)
      expect(await pass(3)).toEqual({ steps: 0, left: 1 })
      await passAll()
      for (const node of all) expect(await setsOf(node, cid)).toEqual([setId])
      expect(await recover(cid)).toBe(masterKey)
    })

    test('nothing comes into force until the operators of all five request it, and the old shards stay until then', async () => {
      const { cid, masterKey, setId, spareId } = await saveFresh()
      await consent(1)
      await consent(2)
      expect(await pass(1)).toEqual({ steps: 0, left: 1 })
      await consent(3)
      await consent(4)
      await passAll()
      for (const node of all) expect(await setsOf(node, cid)).toEqual([setId])
      expect(await countSpares(peers.of(1).db.read, peers.of(1).clock.now() + 1)).toEqual({
        waiting: 0,
        received: 1,
        inForce: 0,
        without: 0,
      })
      await consent(5)
      expect((await pass(5)).steps).toBe(1)
      // One node activates it; both sets exist until the last node has done so.
      expect((await pass(1)).steps).toBe(1)
      expect(await setsOf(1, cid)).toEqual([spareId, setId])
      expect(await recover(cid, [1, 2, 3])).toBe(masterKey)
      for (const node of [2, 3, 4]) await pass(node)
      expect((await setsOf(1, cid)).length).toBe(2)
      expect((await pass(1)).steps).toBe(0)
      await passAll()
      for (const node of all) expect(await setsOf(node, cid)).toEqual([spareId])
      expect(await recover(cid, [2, 3, 5])).toBe(masterKey)
    })

    test('skips keys saved after the request of the operator, and provisional, retired and restored ones', async () => {
      const now = peers.of(1).clock.now()
      const retired = await saveFresh()
      const provisional = await saveFresh({ nodes: [1, 2] })
      const restored = await saveFresh()
      for (const node of all) await retireRecord(peers.of(node), owner, retired.cid, undefined)
      await peers
        .of(1)
        .db.write((trx) => trx.updateTable('key').set({ restored_at: now }).where('cid', '=', restored.cid).execute())
      for (const node of all) await consent(node, now)
      expect(await pass(2)).toEqual({ steps: 0, left: 0 })
      for (const node of all) await consent(node)
      await passAll()
      expect(await setsOf(1, retired.cid)).toEqual([retired.setId])
      expect(await setsOf(1, provisional.cid)).toEqual([provisional.setId])
      for (const node of all) expect(await setsOf(node, restored.cid)).toEqual([restored.setId])
      // It participates, too, when its peers confirm it.
      await confirmRestored(peers.of(1), restored.cid)
      await passAll()
      for (const node of all) expect(await setsOf(node, restored.cid)).toEqual([restored.spareId])
    })

    test('a key that its owner saves meanwhile wins, and the spare set of the replaced one is removed', async () => {
      const { cid, spareId } = await saveFresh()
      for (const node of all) await consent(node)
      for (const node of all) await pass(node)
      expect((await pass(1)).steps).toBe(1)
      expect(await setsOf(1, cid)).toContain(spareId)
      peers.pass(10)
      const newer = deal()
      const setId = await save(cid, newer, { caller: callerOf('a', 'later') })
      await passAll()
      for (const node of all) {
        expect((await setsOf(node, cid))[0]).toBe(setId)
        expect((await sparesOf(node, cid)).map((row) => row.set_id)).toEqual([setId])
      }
      expect(await recover(cid)).toBe(newer.masterKey)
    })

    test('a transfer while the peers are queried ends the spare set of the former owner', async () => {
      /** Lets a node do its next step; the transfer arrives there while another node answers. */
      const passWithTransfer = async (node: number, other: number, cid: string) => {
        await using server = await listen(async (_request, response) => {
          await transferRecord(peers.of(node), owner, cid, friend.address, true)
          response.writeHead(503).end()
        })
        const own = peers.reroute(other, server.url)
        const passed = await pass(node)
        peers.reroute(other, own)
        return passed
      }
      const first = await saveFresh()
      for (const node of all) await consent(node)
      expect(await passWithTransfer(1, 5, first.cid)).toEqual({ steps: 0, left: 1 })
      expect(await sparesOf(1, first.cid)).toEqual([])

      const { cid, setId } = await saveFresh()
      for (const node of all) await consent(node)
      for (const node of [...all, 1, 2, 3]) await pass(node)
      expect(await passWithTransfer(5, 4, cid)).toMatchObject({ steps: 0 })
      expect(await setsOf(5, cid)).toEqual([setId])
    })

    test('spare sets that an earlier version kept at a transfer take no part', async () => {
      const { cid, setId } = await saveFresh()
      const saved = new Map<number, Awaited<ReturnType<typeof sparesOf>>>()
      for (const node of all) saved.set(node, await sparesOf(node, cid))
      peers.pass(10)
      for (const node of [1, 2, 4, 5]) await transferRecord(peers.of(node), owner, cid, friend.address, true)
      expect((await repairRecord(peers.of(3), friend, cid))?.outcome).toBe('adopted')
      for (const node of all)
        await peers.of(node).db.write((trx) =>
          trx
            .insertInto('spare')
            .values(saved.get(node) ?? [])
            .execute(),
        )
      for (const node of all) {
        await consent(node)
        const { db, clock } = peers.of(node)
        expect(await countSpares(db.read, clock.now() + 1)).toMatchObject({ waiting: 0, without: 1 })
        expect((await describeRecord(peers.of(node), friend, cid)).hasSpare).toBe(false)
      }
      await passAll()
      for (const node of all) expect(await setsOf(node, cid)).toEqual([setId])
    })

    test('a revocation while a new node receives its shard takes effect there', async () => {
      const { cid, masterKey } = await saveFresh({ sharedTo: [friend.address, other.address] })
      await peers.replace(4)
      for (const node of all) await consent(node)
      for (const node of all) await pass(node)
      for (const node of [1, 2, 3, 5]) await pass(node)
      for (const node of [1, 2, 3, 5]) await revokeRecord(peers.of(node), owner, cid, [friend.address])
      await passAll()
      const record = await findRecord(peers.of(4).db.read, cid)
      expect([record?.sharedTo, record?.row.restored_at]).toEqual([[other.address], null])
      expect(await recover(cid, [2, 4, 5])).toBe(masterKey)
    })

    test('does not create a record on which three peers disagree, and its owner repairs it', async () => {
      const { cid } = await saveFresh()
      await peers.replace(2)
      for (const node of all) await consent(node)
      for (const node of all) await pass(node)
      for (const node of [1, 3]) await shareRecord(peers.of(node), owner, cid, [friend.address])
      await passAll()
      expect(await findRecord(peers.of(2).db.read, cid)).toBeUndefined()
      for (const node of [4, 5]) await shareRecord(peers.of(node), owner, cid, [friend.address])
      await passAll()
      expect((await repairRecord(peers.of(2), owner, cid))?.outcome).toBe('current')
      for (const node of all) expect((await setsOf(node, cid)).length).toBe(1)
    })

    test('an endless list, while another node is offline, does not block a new node', async () => {
      const { cid } = await saveFresh()
      await peers.replace(5)
      for (const node of all) await consent(node)
      const invented = Array.from({ length: 200 }, createCids('endless')).sort()
      let asked = 0
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk)
        const { after = '' } = JSON.parse(Buffer.concat(chunks).toString())
        const next = invented.find((one) => one > after)
        if (after !== '' || next === invented[0]) asked++
        const listed = { cids: next === undefined ? [] : [next], hasMore: true }
        const message = JSON.stringify({ to: 5, files: [], listed })
        const key = peers.of(1).config.peers.find(({ node }) => node === 5)?.publicKey ?? ''
        const statement = await signStatement(peers.of(1), { sealed: await sealMessage(key, message) })
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ statement }))
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const own = peers.reroute(1, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      const offline = peers.reroute(2, 'http://127.0.0.1:9')
      try {
        expect(await pass(5)).toEqual({ steps: 0, left: 0 })
        expect(asked).toBeGreaterThan(0)
        expect(asked).toBeLessThan(100)
      } finally {
        peers.reroute(1, own)
        peers.reroute(2, offline)
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
      await passAll()
      expect((await setsOf(5, cid)).length).toBe(1)
    })

    test('an answer is for one node only, and has no part before the operator requests it', async () => {
      const { cid, spares } = await saveFresh()
      const before = JSON.stringify(await answerPeer(peers.of(1), 2, { cids: [cid], after: '' }))
      await consent(1)
      const answer = await answerPeer(peers.of(1), 2, { cids: [cid], after: '' })
      expect(answer.length).toBeGreaterThan(before.length)
      expect(answer).not.toContain(spares[0]?.parts[1]?.key)
      await expect(answerPeer(peers.of(1), 1, {})).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
    })

    test('rejects a spare set that fits nothing', async () => {
      const [one, two] = [deal(), deal()]
      const set = commitShards(one.keyShards)
      const cid = freshCid()
      const payload = one.keyShards[0] as KeyShard
      const saved = (spare: Spare) =>
        saveRecord(peers.of(1), owner, { cid, cidAsGiven: cid, payload, set, spare, sharedTo: [] })
      const parts = two.spares[0]?.parts ?? []
      await expect(saved({ set, parts })).rejects.toMatchObject({ code: 'SHARD_MISMATCH' })
      const broken = { ...commitShards(two.keyShards), id: 'f'.repeat(64) }
      await expect(saved({ set: broken, parts })).rejects.toMatchObject({ code: 'SHARD_MISMATCH' })
    })

    test('in any order of steps, changes and replaced nodes every key can be read, and ends on one set', async () => {
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), node: fc.constantFrom(...all) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('share' as const), node: fc.constant(0) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('save' as const), node: fc.constant(0) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('sameKey' as const), node: fc.constant(0) }) },
      )
      let turn = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), fc.boolean(), async (steps, isReplaced) => {
          let { cid, masterKey } = await saveFresh()
          if (isReplaced) await peers.replace(1 + (turn % 5))
          const lost = isReplaced ? 1 + (turn % 5) : 0
          for (const node of all) await consent(node)
          const session = () => callerOf('a', `session ${++turn}`)
          for (const one of steps) {
            if (one.do === 'pass') await pass(one.node)
            else if (one.do === 'share') {
              const caller = session()
              for (const node of all) {
                await shareRecord(peers.of(node), caller, cid, [other.address]).catch((error: unknown) => {
                  if (node !== lost || !CairnError.is(error, 'KEY_NOT_FOUND')) throw error
                })
              }
            } else {
              const key = deal(one.do === 'save' ? undefined : masterKey)
              masterKey = key.masterKey
              await save(cid, key, { caller: session() })
            }
            expect(await recover(cid)).toBe(masterKey)
          }
          await passAll()
          for (const node of all) {
            await promoteRecord(peers.of(node), cid)
            await repairRecord(peers.of(node), owner, cid)
          }
          await passAll()
          expect(await recover(cid)).toBe(masterKey)
          const inForce = await Promise.all(all.map(async (node) => (await setsOf(node, cid))[0]))
          expect(new Set(inForce).size, inForce.join(' ')).toBe(1)
          turn++
        }),
        { numRuns: runs * fuzz },
      )
    })
  })
}

suite('shards are replaced', startFivePeers, 4)

describe('on PostgreSQL', () => {
  let postgres: PostgresFixture
  beforeAll(async () => {
    postgres = await startPostgres(migrations)
  })
  afterAll(() => postgres?.stop())
  suite(
    'the same',
    () => startFivePeers(async () => ({ CAIRN_KEYNODE_DATABASE_URL: await postgres.createDatabase() })),
    1,
  )
})
