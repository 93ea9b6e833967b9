// A provider on Filecoin: an unreliable chain, pieces that are kept, and the published client.
import { parse as parsePiece } from '@filoz/synapse-core/piece'
import { uploadPieceStreaming, waitForAddPieces, waitForCreateDataSet } from '@filoz/synapse-core/sp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFilecoinChain } from './chain.ts'
import { type FilecoinWorld, failureOf, openFilecoinWorld, soon } from './filecoin-world.fixture.ts'

const { signal } = new AbortController()
let world: FilecoinWorld
beforeEach(async () => {
  world = await openFilecoinWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

describe('the chain', () => {
  it.each(['down', 'garbage', 'endless', 'other-chain'] as const)(
    'is reported as %s without its URL',
    async (fault) => {
      const { rpc, key, open, makePiece, offer, status, bring } = world
      const piece = await makePiece(20)
      world.provider = open({ rpcUrl: `${rpc.url}/secret-of-the-operator` })
      rpc.fault = fault
      for (const work of [offer, status, () => world.provider.remove(piece, { signal })]) {
        const error = await failureOf(work(piece))
        expect(error.code).toBe('UPSTREAM_FAILED')
        const texts = `${error.message} ${JSON.stringify(error.details)} ${String(error.cause)} ${error.stack}`
        expect(texts).not.toContain('secret-of-the-operator')
        expect(texts).not.toContain(key.slice(2))
      }
      rpc.fault = 'none'
      await bring(piece)
    },
  )

  it('must know the provider by the URL in the settings', async () => {
    const { contracts, curio, makePiece, offer } = world
    contracts.provider.serviceURL = 'https://elsewhere.example'
    const error = await failureOf(offer(await makePiece(21)))
    expect(error.message).toContain('URL of the provider in the registry differs')
    expect(curio.requests).toEqual([])
  })

  it('returns an answer in time or an error', async () => {
    const { makePiece } = world
    const late = AbortSignal.timeout(1)
    await soon(() => expect(late.aborted).toBe(true))
    expect((await failureOf(world.provider.status(await makePiece(22), { signal: late }))).message).toContain('in time')
  })

  it('rejects an invalid key, without quoting it', () => {
    const { describeSettings } = world
    const wrong = `0x${'f'.repeat(64)}`
    expect(() => openFilecoinChain(describeSettings({ key: wrong }))).toThrow('the key of fil is not a private key')
  })
})

describe('a kept piece', () => {
  it('is read in ranges, and a provider that ignores ranges is not trusted', async () => {
    const { curio, source, makePiece, bring } = world
    const piece = await makePiece(30)
    await bring(piece)
    const whole = source.payloads.get(piece) ?? Buffer.alloc(0)
    const read = async (start: number, end: number) => {
      const parts: Uint8Array[] = []
      for await (const part of world.provider.retrieve(piece, { start, end }, { signal })) parts.push(part)
      return Buffer.concat(parts)
    }
    expect(world.provider.retrievalUrl(piece)).toBe(`${curio.url}/piece/${piece}`)
    expect(await read(100, 5000)).toEqual(whole.subarray(100, 5000))
    curio.mood = 'ignores-ranges'
    expect(await read(0, whole.length)).toEqual(whole)
    expect((await failureOf(read(1, 2))).message).toContain('ignored the requested range')
    curio.mood = 'down'
    expect((await failureOf(read(1, 2))).code).toBe('UPSTREAM_FAILED')
  })

  it('is removed once, also on a repeated request, and can be added again', async () => {
    const { contracts, curio, makePiece, stateOf, bring, livePieces } = world
    const piece = await makePiece(31)
    await bring(piece)
    curio.losing.add('DELETE pieces')
    await failureOf(world.provider.remove(piece, { signal }))
    await world.provider.remove(piece, { signal })
    expect(contracts.dataSets[0]?.scheduled).toEqual([0n])
    expect(await stateOf(piece)).not.toBe('pulling')
    await contracts.mine(3)
    expect(await stateOf(piece)).toBe('unknown')
    await bring(piece)
    expect(livePieces()).toHaveLength(1)
    await contracts.beginPeriod(1n)
    await contracts.mine(3)
    expect(await stateOf(piece)).toBe('kept')
  })

  it('receives no challenge from us', async () => {
    const { makePiece } = world
    const challenge = { nonce: new Uint8Array(32), count: 5, within: [{ start: 0, count: 4 }] }
    expect((await failureOf(world.provider.challenge(await makePiece(32), challenge, { signal }))).code).toBe(
      'NOT_SUPPORTED',
    )
  })
})

describe('the published client', () => {
  it('works with the Curio simulator as with Curio', async () => {
    const { contracts, curio, source, makePiece, bring } = world
    const piece = await makePiece(50)
    const data = source.payloads.get(piece) ?? Buffer.alloc(0)
    const done = await uploadPieceStreaming({ serviceURL: curio.url, data: new Uint8Array(data) })
    expect(done.pieceCid.toString()).toBe(piece)
    expect(parsePiece(piece).toString()).toBe(piece)
    await bring(piece)
    const statusUrl = (path: string) => `${curio.url}/pdp/data-sets/${path}`
    const hashes = contracts.transactions
    const created = await waitForCreateDataSet({ statusUrl: statusUrl(`created/${hashes[0]}`) })
    expect(created.dataSetId).toBe(1n)
    const added = await waitForAddPieces({ statusUrl: statusUrl(`1/pieces/added/${hashes[1]}`) })
    expect(added.piecesAdded).toBe(true)
    // The uploaded bytes were found and not uploaded again.
    expect(curio.requests.filter((name) => name === 'PUT uploads')).toHaveLength(1)
  })
})
