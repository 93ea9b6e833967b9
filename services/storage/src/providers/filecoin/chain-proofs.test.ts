// Proofs of kept pieces, as the chain has them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFilecoinChain } from './chain.ts'
import { type FilecoinWorld, failureOf, openFilecoinWorld } from './filecoin-world.fixture.ts'

const { signal } = new AbortController()
let world: FilecoinWorld
beforeEach(async () => {
  world = await openFilecoinWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

describe('proofs on the chain', () => {
  const chain = () => openFilecoinChain(world.describeSettings())
  const inspect = (piece: string, keptSince: bigint, provenAt: number | null = null) =>
    world.provider.lastProof?.(piece, { keptAt: chain().timeOf(keptSince), provenAt }, { signal }) ?? Promise.reject()
  const read = async (piece: string, keptSince: bigint, provenAt: number | null = null) => {
    await world.contracts.mine(2)
    return inspect(piece, keptSince, provenAt)
  }

  it('are shown with chain, epoch and transaction', async () => {
    const { contracts, makePiece, bring } = world
    const piece = await makePiece(40)
    await bring(piece)
    const kept = contracts.head
    expect(await read(piece, kept)).toEqual({ newest: undefined, missed: undefined })
    await contracts.beginPeriod(1n)
    expect(await read(piece, kept)).toEqual({ newest: undefined, missed: undefined })
    await contracts.prove(1n)
    const epoch = contracts.head
    const proof = await read(piece, kept)
    expect(proof).toMatchObject({ newest: { leafCount: 5, provenAt: chain().timeOf(epoch) }, missed: undefined })
    expect(proof.newest?.transaction).toMatch(/^[0-9a-f]{64}$/)
    expect(proof.newest?.source).toContain(`chain 314159, epoch ${epoch}, data set 1, piece 0, transaction 0x`)
  })

  it('exclude a piece that was added after their challenges were fixed', async () => {
    const { contracts, makePiece, bring } = world
    const first = await makePiece(41)
    await bring(first)
    await contracts.beginPeriod(1n)
    const piece = await makePiece(42)
    await bring(piece)
    const kept = contracts.head
    await contracts.prove(1n)
    expect((await read(first, kept)).newest).toBeDefined()
    expect(await read(piece, kept)).toEqual({ newest: undefined, missed: undefined })
    await contracts.beginPeriod(1n)
    await contracts.prove(1n)
    expect((await read(piece, kept)).newest).toBeDefined()
  })

  it('are missed when their window passes, whether or not the provider continues', async () => {
    const { contracts, makePiece, bring } = world
    const piece = await makePiece(43)
    await bring(piece)
    const kept = contracts.head
    await contracts.beginPeriod(1n)
    await contracts.prove(1n)
    const [set] = contracts.dataSets
    await contracts.passTo((set?.deadline ?? 0n) + 1n)
    await contracts.beginPeriod(1n)
    expect((await read(piece, kept)).missed).toBeUndefined()
    const deadline = contracts.dataSets[0]?.deadline ?? 0n
    await contracts.passTo(deadline)
    expect((await inspect(piece, kept)).missed).toBeUndefined()
    expect((await read(piece, kept)).missed).toBeUndefined()
    expect((await read(piece, kept)).missed?.reason).toContain(`epoch ${deadline}`)
    await contracts.beginPeriod(1n)
    await contracts.prove(1n)
    // Once it proves again, nothing kept from then on is missed.
    expect(await read(piece, contracts.head)).toMatchObject({ newest: { leafCount: 5 }, missed: undefined })
  })

  it('that are known are not fetched again, because the endpoint may have dropped their epoch', async () => {
    const { contracts, open, makePiece, bring } = world
    const piece = await makePiece(45)
    await bring(piece)
    const kept = contracts.head
    await contracts.beginPeriod(1n)
    await contracts.prove(1n)
    const known = (await read(piece, kept)).newest?.provenAt ?? 0
    await contracts.mine(10)
    contracts.knownFrom = contracts.head - 3n
    world.provider = open()
    expect(await inspect(piece, kept, known)).toEqual({ newest: undefined, missed: undefined })
    expect((await failureOf(inspect(piece, kept))).code).toBe('UPSTREAM_FAILED')
    await contracts.passTo((contracts.dataSets[0]?.deadline ?? 0n) + 250n)
    contracts.knownFrom = contracts.head - 3n
    expect((await inspect(piece, kept)).missed).toBeDefined()
  })

  it('of a piece that the chain does not have are ignored', async () => {
    const { makePiece } = world
    expect((await failureOf(read(await makePiece(44), 0n))).code).toBe('PIECE_NOT_FOUND')
  })
})
