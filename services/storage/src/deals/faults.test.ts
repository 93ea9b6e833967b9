import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MIB } from '@cairn/protocol'
import { createKilledReplica } from '@cairn/service/killed-replica-fixture'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import type { CID } from 'multiformats/cid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrations } from '../db/database.ts'
import { uploadColumns } from '../db/upload-columns.ts'
import { deleteFiles } from '../files/files.ts'
import { removePack } from '../packs/packs.ts'
import { raiseAllCopies } from '../pieces/copies.ts'
import { makeAggregates } from '../pieces/make-aggregates.ts'
import { makePieces } from '../pieces/make-pieces.ts'
import { sweepTrees } from '../pieces/sweep-trees.ts'
import { pipeline } from '../proofs/pipeline.ts'
import { createPipelineWorkers } from '../proofs/worker.ts'
import { testAddress } from '../uploads/open-test-context.suite.ts'
import { systemClock } from '../workers/worker.ts'
import { challengeMs, fill, type OpenDeals, openDeals, waitMs } from './open-deals.fixture.ts'
import { placeDeals } from './place-deals.ts'
import { findDealsOf } from './store.ts'
import { updateDeal } from './update-deal.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

describe.each(databaseKinds)('deals on %s, when things go wrong', (kind) => {
  let deals: OpenDeals
  beforeEach(async () => {
    // Two pieces of the maximum size make an aggregate.
    deals = await openDeals(kind, postgres, { targetBytes: 16 * MIB })
  })
  afterEach(() => deals[Symbol.asyncDispose]())

  const db = () => deals.test.context.db
  const { signal } = new AbortController()

  async function packOf(cid: CID) {
    const [location] = await deals.test.context.packs.locate([cid.multihash.bytes])
    if (location === undefined) throw new Error('the block is not stored')
    return { id: location.packId, objectKey: location.objectKey }
  }

  async function removeUpload(cid: CID): Promise<void> {
    const pack = await packOf(cid)
    await deleteFiles(deals.test.context, testAddress, { cid })
    await db().write((trx) => trx.updateTable('pack').set({ state: 'removing' }).where('id', '=', pack.id).execute())
    await removePack(db(), deals.test.context.objects, pack)
  }

  async function insertAggregate(id: string, values: { cid: string; copies: number; state: 'live' | 'ending' }) {
    const row = { ...values, id, root: new Uint8Array(32), height: 10, piece_count: 1 }
    const times = { created_at: 1, looked_at: 0, place_at: values.state === 'live' ? 0 : null }
    await db().write((trx) =>
      trx
        .insertInto('aggregate')
        .values({ ...row, ...times })
        .execute(),
    )
  }

  it('a pack that cannot be read delays no other', async () => {
    const bad = await upload('bad', 2 * MIB, 1)
    const badSmall = await upload('bad-small', 2000, 2)
    for (const cid of [bad, badSmall]) await deals.test.context.objects.remove((await packOf(cid)).objectKey)
    const good = await upload('good', 2 * MIB, 3)
    const goodSmall = await upload('good-small', 2000, 4)
    await deals.goOn(waitMs * 2 + 4000)
    for (const cid of [good, goodSmall]) {
      const { pieces } = await deals.proofs.describe(cid)
      expect(pieces[0]?.aggregate?.deals.map(({ state }) => state)).toEqual(['proving', 'proving'])
    }
    expect([...deals.making.setAside]).toHaveLength(2)
  })

  const upload = (name: string, sizeBytes: number, seed: number) => deals.upload(name, fill(sizeBytes, seed))

  it('a piece of an aggregate whose pieces move to others has no proof that leads elsewhere', async () => {
    const cids = [await upload('one', 2 * MIB, 1), await upload('two', 2 * MIB, 2)]
    await deals.goOn(waitMs * 2 + 4000)
    const placed = await Promise.all(
      cids.map(async (cid) => ({ cid, piece: (await deals.proofs.place(cid))?.pieces[0]?.row })),
    )
    const [first, last] = placed.toSorted((a, b) => (a.piece?.position ?? 0) - (b.piece?.position ?? 0))
    if (first?.piece === undefined || last?.piece === undefined) throw new Error('the pieces are missing')
    expect([last.piece.position, last.piece.aggregate_id]).toEqual([1, first.piece.aggregate_id])
    const { id } = first.piece
    await db().write(async (trx) => {
      await trx.updateTable('aggregate').set({ state: 'ending', place_at: null }).execute()
      await trx.updateTable('piece').set({ aggregate_id: null, position: null }).where('id', '=', id).execute()
    })
    for (let time = 0; time < 2; time++) {
      const { pieces } = await deals.proofs.describe(last.cid)
      expect(pieces.map(({ aggregate }) => aggregate)).toEqual([null])
    }
  })

  it('aggregates that never get all their copies do not block newer ones', async () => {
    for (let at = 0; at < 250; at++) await insertAggregate(`old-${at}`, { cid: `c${at}`, copies: 5, state: 'live' })
    await insertAggregate('new', { cid: 'new', copies: 1, state: 'live' })
    await db().write((trx) => trx.updateTable('aggregate').set({ created_at: 2 }).where('id', '=', 'new').execute())
    for (let round = 0; round < 2; round++) await placeDeals(deals.driving)
    expect(await findDealsOf(db().read, 'new')).toHaveLength(1)
    expect(await findDealsOf(db().read, 'old-0')).toHaveLength(3)
  })

  it('concurrent placements by replicas begin no deal twice, and never reuse numbers', async () => {
    for (let at = 0; at < 10; at++) await insertAggregate(`a${at}`, { cid: `c${at}`, copies: 2, state: 'live' })
    await Promise.all([placeDeals(deals.driving), placeDeals(deals.driving), placeDeals(deals.driving)])
    const rows = await db().read.selectFrom('deal').select(['number', 'aggregate_id', 'provider']).execute()
    expect(rows).toHaveLength(20)
    expect(new Set(rows.map((row) => `${row.aggregate_id} ${row.provider}`)).size).toBe(20)
    await db().write((trx) => trx.deleteFrom('deal').execute())
    await db().write((trx) => trx.updateTable('aggregate').set({ place_at: 0 }).execute())
    await placeDeals(deals.driving)
    const later = await db().read.selectFrom('deal').select('number').orderBy('number').execute()
    expect(later[0]?.number).toBe(21)
  })

  it('a replica that was suspended changes nothing based on what it had read before', async () => {
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + 2000)
    const [old] = await db().read.selectFrom('deal').selectAll().where('state', '=', 'proving').execute()
    if (old === undefined) throw new Error('there is a deal')
    await deals.goOn(challengeMs)
    await updateDeal(deals.test.context, old, { state: 'faulted', faults: 1 })
    expect(await deals.states()).toEqual(['one proving', 'six proving'])
  })

  it.each([
    ['accepts nothing', 'full', 1],
    // An offer, a challenge and a removal.
    ['proves nothing', 'forged', 3],
  ] as const)('a provider that %s is asked less and less, and its failures use no space', async (_, mood, calls) => {
    for (const provider of deals.providers) provider.mood = mood
    await upload('a', 5000, 3)
    await deals.goOn(3 * 3_600_000, 60_000)
    expect((await deals.states()).length).toBeLessThanOrEqual(12)
    const before = deals.providers[0]?.calls ?? 0
    await deals.goOn(3_600_000, 60_000)
    expect((deals.providers[0]?.calls ?? 0) - before).toBeLessThanOrEqual(calls)
  })

  it('a provider that accepts offers and loses them is abandoned', async () => {
    const [one] = deals.providers
    if (one === undefined) throw new Error('there is a provider')
    one.mood = 'forgetful'
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + 40_000)
    expect((await deals.states())[0]).toBe('one failed')
    expect(await deals.states()).toContain('two proving')
  })

  it('parts of a large pack continue if an aggregate is abandoned, also those in others', async () => {
    for (const provider of deals.providers) provider.mood = 'silent'
    const large = await upload('large', 13 * MIB, 7)
    const gone = await upload('gone', 2 * MIB, 8)
    await deals.goOn(waitMs + 2000)
    const pieces = await db().read.selectFrom('piece').selectAll().execute()
    expect(new Set(pieces.map((piece) => piece.aggregate_id)).size).toBeGreaterThan(1)
    await removeUpload(gone)
    for (const provider of deals.providers) provider.mood = 'honest'
    await deals.goOn(180_000)
    const pack = await packOf(large)
    const parts = await db()
      .read.selectFrom('piece_pack')
      .innerJoin('piece', 'piece.id', 'piece_pack.piece_id')
      .select(['piece_pack.size_bytes', 'piece.aggregate_id'])
      .where('pack_id', '=', pack.id)
      .execute()
    const row = await db().read.selectFrom('pack').selectAll().where('id', '=', pack.id).executeTakeFirstOrThrow()
    expect(parts.reduce((sum, part) => sum + part.size_bytes, 0)).toBe(row.size_bytes)
    expect(parts.every((part) => part.aggregate_id !== null)).toBe(true)
    const shown = await deals.proofs.describe(large)
    for (const { aggregate } of shown.pieces) {
      expect(aggregate?.deals.filter(({ state }) => state === 'proving')).toHaveLength(2)
    }
  })

  it('a provider that hangs delays no other', async () => {
    const [one] = deals.providers
    if (one === undefined) throw new Error('there is a provider')
    one.mood = 'hanging'
    const stop = new AbortController()
    const running = createPipelineWorkers(deals.driving, systemClock)
      .filter(({ name }) => name !== 'pieces')
      .map((worker) => worker.run(stop.signal))
    const makeAll = async () => {
      deals.clock.ms += waitMs
      await makePieces(deals.making, signal)
      deals.clock.ms += waitMs
      await makeAggregates(deals.test.context, signal)
    }
    try {
      for (const [at, count] of [1, 2].entries()) {
        await upload(`${at}`, 5000 + at, at)
        await makeAll()
        const proving = async () => (await deals.states()).filter((state) => state.endsWith('proving')).length
        await expect.poll(proving).toBe(count)
      }
      expect(await deals.states()).toContain('one queued')
    } finally {
      stop.abort()
      await Promise.all(running)
    }
  })

  it('a silence after a downtime of the service ends no deal, four in a row do', async () => {
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + 4000)
    expect(await deals.states()).toEqual(['one proving', 'six proving'])
    deals.clock.ms += challengeMs * 3
    for (const provider of deals.providers) provider.mood = 'silent'
    await deals.goOn(challengeMs / 4 + 2000)
    for (const provider of deals.providers) provider.mood = 'honest'
    await deals.goOn(challengeMs / 8)
    expect(await deals.states()).toEqual(['one proving', 'six proving'])
    const proven = await db().read.selectFrom('deal').select(['proofs', 'tries', 'silent_since']).execute()
    expect(proven).toEqual(Array(2).fill({ proofs: 2, tries: 0, silent_since: null }))
    expect(deals.providers.flatMap(({ removed }) => removed)).toEqual([])

    deals.clock.ms += challengeMs * 3
    for (const provider of deals.providers) provider.mood = 'silent'
    await deals.goOn((challengeMs * 3) / 8 + 2000)
    expect((await deals.states()).slice(0, 2)).toEqual(['one faulted', 'six faulted'])
  })

  it('the last copies, lost only by silence, are proven instead of removed', async () => {
    const cid = await upload('a', 5000, 3)
    await deals.goOn(waitMs + 4000)
    for (const provider of deals.providers) provider.mood = 'silent'
    await deals.goOn(challengeMs + 5000)
    expect((await deals.states()).slice(0, 2)).toEqual(['one faulted', 'six faulted'])
    await deals.test.context.objects.remove((await packOf(cid)).objectKey)
    for (const provider of deals.providers) provider.mood = provider.name === 'two' ? 'full' : 'honest'
    await deals.goOn(challengeMs * 2)
    const states = await deals.states()
    expect(states.filter((state) => state.endsWith('proving'))).toEqual(['one proving', 'six proving'])
    expect(deals.providers.flatMap(({ removed }) => removed)).toEqual([])
  })

  it('copies lost by silence are a source for another provider', async () => {
    const cid = await upload('a', 5000, 3)
    await deals.goOn(waitMs + 4000)
    for (const provider of deals.providers) provider.mood = 'silent'
    await deals.goOn(challengeMs + 5000)
    await deals.test.context.objects.remove((await packOf(cid)).objectKey)
    for (const provider of deals.providers) provider.mood = provider.name === 'two' ? 'honest' : 'full'
    await deals.goOn(challengeMs * 2)
    expect(await deals.states()).toContain('two proving')
  })

  it('a proven copy stays until its replacements are proven, too', async () => {
    const [one, two, six] = deals.providers
    if (one === undefined || two === undefined || six === undefined) throw new Error('there are three providers')
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + 4000)
    one.mood = 'silent'
    two.mood = 'boasting'
    await deals.goOn(challengeMs + 5000)
    expect(await deals.states()).toEqual(['one faulted', 'six proving', 'two kept'])
    one.mood = 'honest'
    const lookAgain = async () => {
      await db().write((trx) => trx.updateTable('aggregate').set({ looked_at: 0 }).execute())
      await deals.goOn(1000)
    }
    await lookAgain()
    expect([await deals.states(), one.removed]).toEqual([['one faulted', 'six proving', 'two kept'], []])
    // A provider that has not answered its last challenge does not count either.
    six.mood = 'silent'
    await deals.goOn(challengeMs / 2)
    two.mood = 'honest'
    await db().write((trx) => trx.updateTable('deal').set({ state: 'proving' }).where('provider', '=', 'two').execute())
    await lookAgain()
    expect([await deals.states(), one.removed]).toEqual([['one faulted', 'six proving', 'two proving'], []])
  })

  it('a provider that is removed from the configuration and added again keeps its copies', async () => {
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + 4000)
    const { driving } = deals
    const held = deals.providers.map(({ pieces }) => [...pieces.keys()])
    const without = { ...driving, providers: deals.providers.filter(({ name }) => name === 'two') }
    for (const provider of deals.providers) if (provider.name === 'two') provider.mood = 'full'
    const work = { context: deals.test.context, making: deals.making, driving: without, provider: undefined, signal }
    deals.clock.ms += challengeMs / 2
    for (const { lane, pace, run } of pipeline) if (lane === 'deals' && pace === 'round') await run(work)
    expect(await deals.states()).toEqual(['one faulted', 'six faulted'])
    await deals.goOn(challengeMs * 2)
    expect((await deals.states()).filter((state) => state.endsWith('proving'))).toEqual(['one proving', 'six proving'])
    expect(deals.providers.flatMap(({ removed }) => removed)).toEqual([])
    expect(deals.providers.map(({ pieces }) => [...pieces.keys()])).toEqual(held)
  })

  it('one provider under two names is one copy', async () => {
    const [, , six] = deals.providers
    if (six === undefined) throw new Error('there is a provider')
    six.mood = 'twin'
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + challengeMs / 2 + 6000)
    const states = await deals.states()
    expect(states.filter((state) => state.endsWith('proving'))).toEqual(['one proving', 'two proving'])
    expect(states).toContain('six failed')
  })

  it('an offline provider is waited for once per round, however much it has to remove', async () => {
    for (let at = 0; at < 20; at++) {
      await insertAggregate(`a${at}`, { cid: `c${at}`, copies: 2, state: 'live' })
    }
    await placeDeals(deals.driving)
    await db().write((trx) => trx.updateTable('deal').set({ state: 'kept', next_at: 9e15 }).execute())
    await db().write((trx) => trx.updateTable('aggregate').set({ state: 'ending', place_at: null }).execute())
    for (const provider of deals.providers) provider.mood = 'silent'
    await deals.goOn(1000)
    expect(deals.providers.map(({ calls }) => calls)).toEqual([1, 1, 1])
    for (const provider of deals.providers) provider.mood = 'honest'
    await deals.goOn(61_000)
    expect(await db().read.selectFrom('aggregate').selectAll().execute()).toEqual([])
  })

  it('content of an account that requests more copies is copied more, even if another account stored it first', async () => {
    const { context } = deals.test
    const cid = await upload('a', 5000, 3)
    await deals.goOn(waitMs + 2000)
    const other = `0x${'b'.repeat(40)}`
    await db().write(async (trx) => {
      const used = { data_used_bytes: 0, reserved_bytes: 0, upload_count: 0 }
      const account = { created_at: 1, data_limit_bytes: 1e9, ...used }
      await trx
        .insertInto('account')
        .values({ ...account, address: other })
        .execute()
      await trx.insertInto('copy_policy').values({ address: other, copies: 3, updated_at: 1 }).execute()
      const first = await trx.selectFrom('upload').select(uploadColumns).executeTakeFirstOrThrow()
      await trx
        .insertInto('upload')
        .values({ ...first, id: 'second', address: other })
        .execute()
      const { id } = await packOf(cid)
      await trx.insertInto('upload_pack').values({ upload_id: 'second', pack_id: id }).execute()
    })
    expect(await raiseAllCopies(context, signal)).toBe(1)
    await deals.goOn(3000)
    expect(deals.keepers()).toHaveLength(3)
  })

  it('deletions take nothing from the same content stored again', async () => {
    await upload('a', 5000, 3)
    await deals.goOn(waitMs + 2000)
    const [live] = await db().read.selectFrom('aggregate').selectAll().execute()
    const [deal] = await db().read.selectFrom('deal').selectAll().execute()
    if (live === undefined || deal === undefined) throw new Error('there is a deal')
    await insertAggregate('before', { cid: live.cid, copies: 2, state: 'ending' })
    await db().write((trx) =>
      trx
        .insertInto('deal')
        .values({ ...deal, number: 77, aggregate_id: 'before', state: 'faulted' })
        .execute(),
    )
    await deals.goOn(3000)
    expect(await db().read.selectFrom('aggregate').select('id').execute()).toEqual([{ id: live.id }])
    expect(deals.providers[0]?.pieces.has(live.cid)).toBe(true)
  })

  it.each([3000, 2 * MIB])('repairs a damaged pack of %i bytes from a provider', async (sizeBytes) => {
    const cid = await upload('a', sizeBytes, 3)
    await deals.goOn(waitMs + 2000)
    const { objects } = deals.test.context
    const { objectKey } = await packOf(cid)
    const bytes = await objects.read(objectKey, 0, (await objects.size(objectKey)) ?? 0)
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    await objects.remove(objectKey)
    const writer = await objects.create(objectKey)
    await writer.append([bytes])
    await writer.finish()
    deals.providers[0]?.pieces.clear()
    await deals.goOn(challengeMs / 2 + 70_000)
    const states = await deals.states()
    expect(states).toContain('two failed')
    expect(states.filter((one) => one.endsWith('proving'))).toHaveLength(2)
  })

  it('reports a missing tree, which delays no provider', async () => {
    const cid = await upload('a', 2 * MIB, 3)
    await deals.goOn(waitMs + 2000)
    const [piece] = await db().read.selectFrom('piece').selectAll().execute()
    await deals.test.context.objects.remove(piece?.tree_key ?? '')
    await expect(deals.proofs.describe(cid)).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
    deals.providers[0]?.pieces.clear()
    await deals.goOn(challengeMs / 2 + 5000)
    expect(await deals.states()).toContain('two proving')
  })

  it('removes unrecorded trees of an ended replica, and no others', async () => {
    await upload('a', 2 * MIB, 3)
    await deals.goOn(waitMs + 2000)
    const { objects, config } = deals.test.context
    const killed = await createKilledReplica(config.packFolder)
    await killed.finish('trees/left-over')
    // A confirmed tree without a row may have lost it.
    await killed.finish('trees/unknown', { confirm: true })
    // It ended after it recorded this one.
    await killed.finish('trees/recorded')
    await db().write((trx) => trx.updateTable('piece').set({ tree_key: 'trees/recorded' }).execute())
    expect(await sweepTrees(deals.test.context, signal)).toBe(0)
    await killed.age()
    expect(await sweepTrees(deals.test.context, signal)).toBe(1)
    expect(await objects.size('trees/unknown')).toBe(10)
    expect(await objects.size('trees/recorded')).toBe(10)
    expect([...(await objects.listUnconfirmed('all'))].filter((key) => key.startsWith('trees/'))).toEqual([])
  })

  it('removes unrecorded trees beside one that cannot be removed', async () => {
    const { objects, config } = deals.test.context
    const keys = ['trees/one', 'trees/two', 'trees/three']
    // One after the other, because they are found in any order.
    for (const stuck of keys) {
      const killed = await createKilledReplica(config.packFolder)
      for (const key of keys) await killed.finish(key)
      await killed.age()
      const path = join(config.packFolder, 'objects', stuck)
      // The removal of a file does not remove a folder.
      await rm(path)
      await mkdir(path)
      await expect(sweepTrees(deals.test.context, signal)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
      for (const key of keys) if (key !== stuck) expect(await objects.size(key)).toBeUndefined()
      await rmdir(path)
      expect(await sweepTrees(deals.test.context, signal)).toBe(1)
    }
  })
})
