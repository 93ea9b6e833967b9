import { Readable } from 'node:stream'
import {
  countLeaves,
  hashPiece,
  parsePieceCid,
  resolveAggregate,
  verifyByteRange,
  verifyChallenge,
} from '@cairn/pieces'
import { MIB } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { readCar, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrations } from '../db/database.ts'
import { deleteFiles } from '../files/files.ts'
import { hashSha256, removePack } from '../packs/packs.ts'
import { writeCopies } from '../pieces/copies.ts'
import { describeDeals, describeInclusion } from '../proofs/wire-answers.ts'
import { testAddress } from '../uploads/open-test-context.suite.ts'
import { challengeMs, fill, type OpenDeals, openDeals, waitMs } from './open-deals.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

describe.each(databaseKinds)('deals on %s', (kind) => {
  let opened: OpenDeals
  let test: OpenDeals['test']
  let providers: OpenDeals['providers']
  let proofs: OpenDeals['proofs']
  let upload: OpenDeals['upload']
  let goOn: OpenDeals['goOn']
  let states: OpenDeals['states']
  let keepers: OpenDeals['keepers']

  beforeEach(async () => {
    opened = await openDeals(kind, postgres)
    ;({ test, providers, proofs, upload, goOn, states, keepers } = opened)
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  it('include no private file: no piece contains it, and no provider gets it', async () => {
    const secret = await upload('secret', fill(2 * MIB, 7), { private: 'true' })
    const small = await upload('small secret', fill(300, 8), { private: 'true' })
    await goOn(waitMs + 2000)
    expect(await test.context.db.read.selectFrom('piece').select('id').execute()).toEqual([])
    for (const cid of [secret, small]) {
      expect(await describeDeals(proofs, cid)).toEqual([])
      await expect(proofs.describe(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' })
    }
    // A public upload of the same bytes gets its own pack, and only that pack becomes a piece.
    expect(await upload('open', fill(2 * MIB, 7))).toEqual(secret)
    await goOn(waitMs + 2000)
    const pieced = await test.context.db.read
      .selectFrom('piece_pack')
      .innerJoin('pack', 'pack.id', 'piece_pack.pack_id')
      .select('is_private')
      .execute()
    expect(pieced).toEqual([{ is_private: 0 }])
    expect(await proofs.describe(secret)).toMatchObject({ waitingPacks: 0, furtherPieces: 0 })
  })

  it('prove an empty file', async () => {
    const cid = await upload('empty', new Uint8Array())
    await goOn(waitMs + 2000)
    const [piece] = (await proofs.describe(cid)).pieces
    if (piece?.block == null) throw new Error('the proof is not whole')
    expect(piece.block.length).toBe(0)
    const bytes = Buffer.from(piece.block.bytes, 'base64')
    verifyByteRange(parsePieceCid(piece.piece), { offset: piece.block.from, bytes, path: piece.block.path })
    expect(piece.block.offset - piece.block.from).toBeLessThanOrEqual(bytes.length)
    expect(await describeDeals(proofs, cid)).toHaveLength(2)
  })

  it('follow a file from pack to proof, and show every step', async () => {
    const content = fill(2 * MIB + 333, 1)
    const cid = await upload('large', content)
    const small = await upload('small', fill(300, 2))
    expect(await describeDeals(proofs, cid)).toEqual([])
    expect(await describeInclusion(proofs, cid)).toBeUndefined()
    await expect(proofs.describe(small)).rejects.toMatchObject({ code: 'PROOF_NOT_FOUND' })
    await goOn(waitMs + 2000)

    expect(await states()).toEqual(['one proving', 'six proving'])
    const shown = await proofs.describe(cid)
    expect(shown).toMatchObject({ waitingPacks: 0, furtherPieces: 0, challengeMs })
    const [piece] = shown.pieces
    if (piece?.block == null || piece.aggregate === null) throw new Error('the proof is not whole')
    const bytes = Buffer.from(piece.block.bytes, 'base64')
    verifyByteRange(parsePieceCid(piece.piece), { offset: piece.block.from, bytes, path: piece.block.path })
    const start = piece.block.offset - piece.block.from
    const { inclusion } = piece.aggregate
    const path = (one: typeof inclusion.entry) => ({
      index: one.index,
      path: one.path.map((hex) => Buffer.from(hex, 'hex')),
    })
    const aggregate = resolveAggregate(parsePieceCid(piece.piece), {
      subtree: path(inclusion.subtree),
      entry: path(inclusion.entry),
    })
    expect(aggregate).toEqual(parsePieceCid(piece.aggregate.piece))
    for (const deal of piece.aggregate.deals) {
      const { answer } = deal.lastProof ?? {}
      if (answer == null || deal.provider.key === null) throw new Error('there is no proof')
      verifyChallenge(answer, {
        piece: piece.aggregate.piece,
        nonce: deal.lastProof?.nonce ?? '',
        count: 20,
        provider: deal.provider.key,
        within: answer.within,
      })
      // The large piece, the small one and the index, with two padded ranges between them.
      const { start, count } = { start: piece.aggregate.offset / 32, count: countLeaves(piece.payloadBytes) }
      expect(answer.within).toHaveLength(3)
      expect(answer.within).toContainEqual({ start, count })
    }
    // The providers hold the bytes of the pack.
    const [car] = piece.cars
    const held = keepers()[0]?.pieces.get(piece.aggregate.piece)?.payload ?? new Uint8Array()
    const from = (piece.aggregate.offset / 128) * 127
    expect((await hashPiece([held.subarray(from, from + piece.payloadBytes)])).piece).toEqual(
      parsePieceCid(piece.piece),
    )
    expect(car).toEqual({ offset: 0, length: piece.payloadBytes, isHeaded: true })
    expect(start).toBeGreaterThanOrEqual(0)

    const wire = await describeDeals(proofs, cid)
    expect(wire).toHaveLength(2)
    expect(wire[0]).toMatchObject({
      DealID: 1,
      Provider: 'one',
      dealStatus: 'Active: Proving',
      payloadCid: cid.toString(),
    })
    expect(await describeInclusion(proofs, small)).toMatchObject({ dealInfo: [{ dealId: 1 }, { dealId: 2 }] })
    const history = await proofs.listChecks(piece.piece, {})
    expect(history.checks.map(({ outcome }) => outcome)).toEqual(['proved', 'proved'])
  })

  it('combine small packs into one piece, and record the position of each', async () => {
    const cids: CID[] = []
    for (let file = 0; file < 20; file++) cids.push(await upload(`f${file}`, fill(100 + file * 50, file)))
    await goOn(waitMs + 2000)
    const pieces = await test.context.db.read.selectFrom('piece').selectAll().execute()
    expect(pieces).toHaveLength(1)
    for (const cid of cids) {
      const { pieces: shown } = await proofs.describe(cid)
      expect(shown[0]?.block).not.toBeNull()
    }
  })

  it('cut a large pack into several pieces between blocks, and prove each', async () => {
    const content = fill(13 * MIB + 12345, 7)
    const cid = await upload('large', content)
    await goOn(waitMs + 2000)
    const shown = await proofs.describe(cid)
    expect(shown.pieces).toHaveLength(4)
    expect(shown.pieces.filter(({ block }) => block !== null)).toHaveLength(1)
    const cars = shown.pieces.flatMap(({ cars }) => cars)
    expect(cars.filter(({ isHeaded }) => isHeaded)).toHaveLength(1)
    const [pack] = await test.context.db.read.selectFrom('pack').selectAll().execute()
    expect(cars.reduce((sum, { length }) => sum + length, 0)).toBe(pack?.size_bytes)
    // Joined again, they are one CAR with every block intact.
    const parts = await test.context.db.read.selectFrom('piece_pack').selectAll().orderBy('pack_offset_bytes').execute()
    const held: Uint8Array[] = []
    for (const part of parts) {
      const piece = shown.pieces.find(({ cars: [car] }) => car?.length === part.size_bytes)
      const kept = keepers()[0]?.pieces.get(piece?.aggregate?.piece ?? '')?.payload
      const from = ((piece?.aggregate?.offset ?? 0) / 128) * 127
      held.push(kept?.subarray(from, from + part.size_bytes) ?? new Uint8Array())
    }
    const { blocks } = await readCar(Readable.from(held))
    let count = 0
    for await (const { cid: each, bytes } of blocks) {
      await verifyBlock(each, bytes, hashSha256)
      count++
    }
    // One for the manifest of the pack.
    expect(count).toBe((pack?.block_count ?? 0) + 1)
  })

  it('detect a silent provider within a period, and place the piece elsewhere', async () => {
    await upload('a', fill(5000, 3))
    await goOn(waitMs + 2000)
    const [one] = providers
    if (one === undefined) throw new Error('there is no provider')
    one.mood = 'silent'
    await goOn(challengeMs + 5000)
    expect(await states()).toEqual(['one faulted', 'six proving', 'two proving'])
    // When it is back, it is asked to remove what is no longer needed.
    one.mood = 'honest'
    await goOn(70_000)
    expect(one.pieces.size).toBe(0)
    expect((await states())[0]).toBe('one ended')
  })

  it.each([
    ['wiped', 'PIECE_NOT_FOUND'],
    ['damaged', 'PIECE_DAMAGED'],
    ['forged', 'ANOTHER_PIECE'],
    ['other-key', 'PROVIDER_KEY_CHANGED'],
  ] as const)('detect a provider that is %s at the next challenge, and keep the reason', async (how, code) => {
    const cid = await upload('a', fill(100_000, 4))
    await goOn(waitMs + 2000)
    const [one] = providers
    const [kept] = one?.pieces.values() ?? []
    if (one === undefined || kept === undefined) throw new Error('the provider keeps nothing')
    if (how === 'wiped') one.pieces.clear()
    else if (how === 'damaged') kept.payload.fill(0)
    else one.mood = how
    await goOn(challengeMs / 2 + 5000)
    expect(await states()).toEqual(['one faulted', 'six proving', 'two proving'])
    const { pieces } = await proofs.describe(cid)
    const deal = pieces[0]?.aggregate?.deals[0]
    expect(deal).toMatchObject({ state: 'faulted', faults: 1 })
    const { checks } = await proofs.listChecks(pieces[0]?.piece ?? '', {})
    const wrong = checks.find(({ outcome }) => outcome === 'wrong')
    expect(wrong?.reason).toBeTruthy()
    expect([wrong?.reasonFacts?.code, deal?.errorFacts?.code]).toEqual([code, code])
  })

  it('restore a missing copy from a provider', async () => {
    await upload('keep', fill(3000, 5))
    const gone = await upload('gone', fill(4000, 6))
    await goOn(waitMs + 2000)
    expect(keepers()).toHaveLength(2)
    const { db, objects } = test.context
    const [location] = await test.context.packs.locate([gone.multihash.bytes])
    if (location === undefined) throw new Error('the block is not stored')
    await deleteFiles(test.context, testAddress, { cid: gone })
    await db.write((trx) =>
      trx.updateTable('pack').set({ state: 'removing' }).where('id', '=', location.packId).execute(),
    )
    await removePack(db, objects, { id: location.packId, objectKey: location.objectKey })
    providers[0]?.pieces.clear()
    await goOn(challengeMs / 2 + 5000)
    expect(await states()).toEqual(['one faulted', 'six proving', 'two proving'])
    expect(keepers().map(({ name }) => name)).toEqual(['two', 'six'])
  })

  it('continue with others if a provider is full, and report it', async () => {
    const [one] = providers
    if (one === undefined) throw new Error('there is no provider')
    one.mood = 'full'
    await upload('a', fill(5000, 3))
    await goOn(waitMs + 2000)
    expect(await states()).toEqual(['one failed', 'six proving', 'two proving'])
  })

  it('end with their rows and objects when everything in an aggregate is deleted', async () => {
    const cid = await upload('a', fill(2 * MIB, 3))
    await goOn(waitMs + 2000)
    const { db, objects } = test.context
    const [pack] = await db.read.selectFrom('pack').selectAll().execute()
    await deleteFiles(test.context, testAddress, { cid })
    await db.write((trx) => trx.updateTable('pack').set({ state: 'removing' }).execute())
    await removePack(db, objects, { id: pack?.id ?? 0n, objectKey: pack?.object_key ?? '' })
    providers[2]!.mood = 'silent'
    await goOn(70_000)
    expect(await db.read.selectFrom('aggregate').select('state').execute()).toEqual([{ state: 'ending' }])
    providers[2]!.mood = 'honest'
    await goOn(70_000)
    expect(keepers()).toEqual([])
    for (const table of ['aggregate', 'piece', 'piece_pack', 'deal', 'possession_check'] as const) {
      expect(await db.read.selectFrom(table).selectAll().execute()).toEqual([])
    }
    const left: string[] = []
    for await (const key of objects.list('')) left.push(key)
    expect(left).toEqual([])
  })

  it('keep as many copies as the account requests', async () => {
    await upload('a', fill(5000, 3))
    await goOn(waitMs + 2000)
    expect(keepers()).toHaveLength(2)
    expect(await writeCopies(test.context, testAddress, 3)).toEqual({ copies: 3, defaultCopies: 2, maxCopies: 3 })
    await goOn(3000)
    expect(keepers()).toHaveLength(3)
    await upload('b', fill(5000, 9))
    await goOn(waitMs + 2000)
    expect(providers.map(({ pieces }) => pieces.size)).toEqual([2, 2, 2])
    await expect(writeCopies(test.context, testAddress, 4)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('allow a fetch only with the token of an open offer', async () => {
    await upload('a', fill(5000, 3))
    await goOn(waitMs + 2000)
    const [aggregate] = await test.context.db.read.selectFrom('aggregate').selectAll().execute()
    await expect(proofs.openPayload(aggregate?.cid ?? '', 'x')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    const tokens = await test.context.db.read.selectFrom('deal').select('token_hash').execute()
    expect(tokens.every(({ token_hash }) => token_hash === null)).toBe(true)
  })
})
