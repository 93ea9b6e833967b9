// Pieces reach a provider on Filecoin, whatever is lost, slow or reorganised meanwhile.

import { isHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CurioFault } from './curio.fixture.ts'
import { type FilecoinWorld, openFilecoinWorld, soon } from './filecoin-world.fixture.ts'

const { signal } = new AbortController()
let world: FilecoinWorld
beforeEach(async () => {
  world = await openFilecoinWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

describe('bringing a piece', () => {
  it('uploads it, creates a data set, adds it, and marks it as kept once the chain has settled', async () => {
    const { contracts, curio, source, makePiece, offer, stateOf, livePieces } = world
    const piece = await makePiece(1)
    expect(await stateOf(piece)).toBe('unknown')
    expect((await offer(piece)).state).toBe('queued')
    await soon(() => expect(livePieces()).toHaveLength(1))
    // It is on the chain, but a reorganisation could still remove it.
    expect(await stateOf(piece)).toBe('pulling')
    await contracts.mine(2)
    expect(await stateOf(piece)).toBe('kept')
    expect(curio.parked.get(piece)).toEqual(source.payloads.get(piece))
    expect((await offer(piece)).state).toBe('kept')
    expect(curio.requests.filter((name) => name === 'POST pieces')).toHaveLength(1)
  })

  it('adds concurrently offered pieces to one data set', async () => {
    const { contracts, makePiece, offer, stateOf, livePieces } = world
    const pieces = await Promise.all([1, 2, 3, 4, 5].map((seed) => makePiece(seed)))
    await Promise.all(pieces.map((piece) => offer(piece)))
    await soon(() => expect(livePieces()).toHaveLength(5))
    expect(contracts.dataSets).toHaveLength(1)
    await contracts.mine(2)
    for (const piece of pieces) expect(await stateOf(piece)).toBe('kept')
  })

  const losses: CurioFault[] = ['POST uploads', 'PUT uploads', 'POST data-sets', 'POST pieces']
  it.each(losses)('neither loses nor duplicates anything when the answer to %s is lost', async (fault) => {
    const { contracts, curio, makePiece, bring, livePieces } = world
    const piece = await makePiece(2)
    curio.losing.add(fault)
    await bring(piece)
    expect(curio.losing.size).toBe(0)
    expect(contracts.dataSets).toHaveLength(1)
    expect(livePieces()).toHaveLength(1)
  })

  it('finds existing state after a restart, and uploads nothing twice', async () => {
    const { contracts, curio, open, makePiece, offer, status, stateOf, until, bring } = world
    const piece = await makePiece(3)
    curio.refusing.set('POST pieces', 500)
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({
      reason:
        'UPSTREAM_FAILED: The storage provider fil returned status 500 to the request to add a piece: refused for a reason',
    })
    curio.refusing.clear()
    world.provider.close?.()
    world.provider = open()
    expect(await stateOf(piece)).toBe('unknown')
    await bring(piece)
    expect(curio.requests.filter((name) => name === 'PUT uploads')).toHaveLength(1)
    expect(contracts.dataSets).toHaveLength(1)
  })

  it('waits for a slow transaction, and its retry adds no second piece', async () => {
    const { contracts, open, makePiece, offer, stateOf, bring, livePieces } = world
    const first = await makePiece(4)
    await bring(first)
    contracts.isHeld = true
    const piece = await makePiece(5)
    await offer(piece)
    // A request that has arrived is not yet a transaction.
    await soon(() => expect(contracts.pendingCount).toBe(1))
    expect(await stateOf(piece)).toBe('pulling')
    world.provider.close?.()
    world.provider = open()
    await offer(piece)
    await soon(() => expect(contracts.pendingCount).toBe(2))
    await contracts.mine(3)
    expect(await stateOf(piece)).toBe('kept')
    expect(livePieces()).toHaveLength(2)
  })

  it('goes one step back when the chain is reorganised, and adds it again', async () => {
    const { contracts, makePiece, offer, stateOf, until, bring, livePieces } = world
    await bring(await makePiece(6))
    const piece = await makePiece(7)
    await offer(piece)
    await soon(() => expect(livePieces()).toHaveLength(2))
    await soon(async () => expect(await stateOf(piece)).toBe('pulling'))
    await contracts.reorganise(1)
    await until(piece, 'unknown')
    await bring(piece)
    expect(livePieces()).toHaveLength(2)
  })

  it('reads past epochs without a block', async () => {
    const { contracts, open, makePiece, stateOf, bring } = world
    const piece = await makePiece(8)
    await bring(piece)
    await contracts.mine(3)
    contracts.nullRounds.add(contracts.head - 2n).add(contracts.head - 3n)
    world.provider = open()
    expect(await stateOf(piece)).toBe('kept')
  })

  it('pays from the wallet that a session key acts for', async () => {
    const { contracts, key, open, makePiece, offer, until, bring } = world
    const payer = '0x00000000000000000000000000000000000000aa'
    world.provider = open({ payer })
    const piece = await makePiece(9)
    await offer(piece)
    await until(piece, 'failed')
    if (!isHex(key)) throw new Error('the key is hex')
    contracts.sessionKeys.set(privateKeyToAccount(key).address, payer)
    await bring(piece)
    expect(contracts.dataSets[0]?.payer.toLowerCase()).toBe(payer)
  })

  it.each([
    ['short', 'UPSTREAM_FAILED'],
    ['long', 'UPSTREAM_FAILED'],
    ['gone', 'UPSTREAM_FAILED: The source of the piece returned status 404'],
  ] as const)('fails without adding anything when the source is %s', async (fault, reason) => {
    const { contracts, curio, source, makePiece, offer, status, until, bring } = world
    source.fault = fault
    const piece = await makePiece(10)
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({ reason: expect.stringContaining(reason) })
    expect(curio.parked.size).toBe(0)
    expect(contracts.dataSets).toHaveLength(0)
    source.fault = 'none'
    await bring(piece)
  })

  it('fails when the bytes are not those of the piece', async () => {
    const { curio, source, makePiece, offer, status, until } = world
    const piece = await makePiece(11)
    source.payloads.set(piece, Buffer.alloc(70_000))
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({ reason: expect.stringContaining('the request to finish an upload') })
    expect(curio.parked.size).toBe(0)
  })

  it.each([
    [507, 'PROVIDER_FULL'],
    [429, 'PROVIDER_FULL'],
    [413, 'PIECE_TOO_LARGE'],
    [500, 'UPSTREAM_FAILED'],
  ])('explains a rejection with %i', async (code, reason) => {
    const { curio, makePiece, offer, status, until } = world
    curio.refusing.set('POST uploads', code)
    const piece = await makePiece(12)
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({ reason: expect.stringContaining(reason) })
  })

  it.each([
    ['down', 'is unreachable'],
    ['endless', 'closed the connection early'],
    ['other-form', 'returned an invalid response'],
  ] as const)('fails when the provider is %s', async (mood, reason) => {
    const { curio, makePiece, offer, status, until, bring } = world
    curio.mood = mood
    const piece = await makePiece(14)
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({ reason: expect.stringContaining(reason) })
    curio.mood = 'well'
    await bring(piece)
  })

  it('stops when the piece is removed meanwhile', async () => {
    const { contracts, curio, makePiece, offer, stateOf, livePieces } = world
    contracts.isHeld = true
    const piece = await makePiece(13)
    await offer(piece)
    await soon(() => expect(curio.requests).toContain('POST data-sets'))
    await world.provider.remove(piece, { signal })
    expect(await stateOf(piece)).toBe('unknown')
    await contracts.mine(5)
    expect(livePieces()).toHaveLength(0)
  })
})
