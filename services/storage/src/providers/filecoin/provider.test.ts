import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodePieceCid, hashPiece } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { parse as parsePiece } from '@filoz/synapse-core/piece'
import { uploadPieceStreaming, waitForAddPieces, waitForCreateDataSet } from '@filoz/synapse-core/sp'
import { isHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Provider } from '../provider.ts'
import { openFilecoinChain } from './chain.ts'
import { FilecoinContracts } from './contracts.fixture.ts'
import { type CurioFault, type ServedCurio, serveCurio } from './curio.fixture.ts'
import { createFilecoinProvider } from './provider.ts'
import { type ServedChain, serveFilecoinRpc } from './rpc.fixture.ts'

const key = `0x${'5a'.repeat(32)}`
const payee = '0x00000000000000000000000000000000000000bb'
const token = 'a token of the deal'

let contracts: FilecoinContracts
let rpc: ServedChain
let curio: ServedCurio
let source: AsyncDisposable & { url: string; payloads: Map<string, Buffer>; fault: 'none' | 'short' | 'long' | 'gone' }
let provider: Provider
const { signal } = new AbortController()

beforeEach(async () => {
  const registered = { id: 7n, payee, serviceURL: '' } as const
  contracts = new FilecoinContracts({ ...registered })
  rpc = await serveFilecoinRpc(contracts)
  curio = await serveCurio(contracts)
  contracts.provider.serviceURL = curio.url
  source = await serveSource()
  provider = open()
})
afterEach(async () => {
  provider.close?.()
  await source[Symbol.asyncDispose]()
  await curio[Symbol.asyncDispose]()
  await rpc[Symbol.asyncDispose]()
})

type Changes = Partial<Parameters<typeof openFilecoinChain>[0]>

function describeSettings(changes: Changes = {}) {
  return {
    kind: 'filecoin',
    name: 'fil',
    network: 'calibration',
    rpcUrl: rpc.url,
    providerId: 7,
    url: curio.url,
    payer: undefined,
    confirmations: 2,
    key,
    ...changes,
  } as const
}

/** Opens the adapter, as after a start of the service. */
function open(changes: Changes = {}): Provider {
  return createFilecoinProvider(describeSettings(changes), { recheckMs: 5 })
}

async function serveSource(): Promise<typeof source> {
  const server = createServer((request, response) => {
    const bytes = served.payloads.get(request.url?.split('/').at(-1) ?? '')
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end()
    if (bytes === undefined || served.fault === 'gone') return response.writeHead(404).end()
    if (served.fault === 'short') return response.end(bytes.subarray(1))
    if (served.fault === 'long') return response.end(Buffer.concat([bytes, Buffer.from('x')]))
    return response.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const served: typeof source = {
    url: `http://127.0.0.1:${port}`,
    payloads: new Map(),
    fault: 'none',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return served
}

async function makePiece(seed: number, sizeBytes = 70_000): Promise<string> {
  const bytes = Buffer.from(
    Uint8Array.from({ length: sizeBytes }, (_, at) => Math.imul(at + seed, 2_654_435_761) >>> 24),
  )
  const piece = encodePieceCid((await hashPiece([bytes])).piece)
  source.payloads.set(piece, bytes)
  return piece
}

const content = [{ start: 0, count: 4 }]
const offer = (piece: string, to = provider) =>
  to.offer(piece, { url: `${source.url}/${piece}`, token, content }, { signal })
const status = (piece: string, of = provider) => of.status(piece, { signal })
const stateOf = async (piece: string) => (await status(piece)).state

/** Waits for what happens without new blocks. */
const soon = (inspect: () => unknown) => vi.waitFor(inspect, { timeout: 60_000, interval: 5 })

/** Waits for a state that needs no new blocks. */
const until = (piece: string, state: string) => soon(async () => expect(await status(piece)).toMatchObject({ state }))

/** Drives a piece as the worker does: offers it whenever it is unknown, and mines. */
async function bring(piece: string): Promise<void> {
  for (let round = 0; round < 200; round++) {
    const { state } = await status(piece)
    if (state === 'kept') return
    if (state === 'unknown' || state === 'failed') await offer(piece).catch(() => undefined)
    await contracts.mine()
    await soon(async () => expect(['queued']).not.toContain(await stateOf(piece)))
  }
  throw new Error(`it did not come: ${JSON.stringify(await status(piece))}`)
}

const livePieces = () =>
  contracts.dataSets.flatMap((set) =>
    set.pieces.filter(({ isRemoved }, id) => !isRemoved && !set.scheduled.includes(BigInt(id))),
  )

async function faultOf(work: Promise<unknown>): Promise<CairnError> {
  const error = await work.then(
    () => undefined,
    (fault: unknown) => fault,
  )
  if (!CairnError.is(error)) throw new Error(`no fault of ours: ${String(error)}`)
  return error
}

describe('bringing a piece', () => {
  it('uploads it, creates a data set, adds it, and marks it as kept once the chain has settled', async () => {
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

  it('adds pieces offered side by side to one data set', async () => {
    const pieces = await Promise.all([1, 2, 3, 4, 5].map((seed) => makePiece(seed)))
    await Promise.all(pieces.map((piece) => offer(piece)))
    await soon(() => expect(livePieces()).toHaveLength(5))
    expect(contracts.dataSets).toHaveLength(1)
    await contracts.mine(2)
    for (const piece of pieces) expect(await stateOf(piece)).toBe('kept')
  })

  const losses: CurioFault[] = ['POST uploads', 'PUT uploads', 'POST data-sets', 'POST pieces']
  it.each(losses)('neither loses nor duplicates anything when the answer to %s is lost', async (fault) => {
    const piece = await makePiece(2)
    curio.losing.add(fault)
    await bring(piece)
    expect(curio.losing.size).toBe(0)
    expect(contracts.dataSets).toHaveLength(1)
    expect(livePieces()).toHaveLength(1)
  })

  it('finds existing state after a restart, and uploads nothing twice', async () => {
    const piece = await makePiece(3)
    curio.refusing.set('POST pieces', 500)
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({
      reason:
        'UPSTREAM_FAILED: The storage provider fil returned status 500 to the request to add a piece: refused for a reason',
    })
    curio.refusing.clear()
    provider.close?.()
    provider = open()
    expect(await stateOf(piece)).toBe('unknown')
    await bring(piece)
    expect(curio.requests.filter((name) => name === 'PUT uploads')).toHaveLength(1)
    expect(contracts.dataSets).toHaveLength(1)
  })

  it('waits for a slow transaction, and its retry adds no second piece', async () => {
    const first = await makePiece(4)
    await bring(first)
    contracts.isHeld = true
    const piece = await makePiece(5)
    await offer(piece)
    // A request that has arrived is not yet a transaction.
    await soon(() => expect(contracts.pendingCount).toBe(1))
    expect(await stateOf(piece)).toBe('pulling')
    provider.close?.()
    provider = open()
    await offer(piece)
    await soon(() => expect(contracts.pendingCount).toBe(2))
    await contracts.mine(3)
    expect(await stateOf(piece)).toBe('kept')
    expect(livePieces()).toHaveLength(2)
  })

  it('goes one step back when the chain is reorganised, and adds it again', async () => {
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

  it('reads past epochs that have no block', async () => {
    const piece = await makePiece(8)
    await bring(piece)
    await contracts.mine(3)
    contracts.nullRounds.add(contracts.head - 2n).add(contracts.head - 3n)
    provider = open()
    expect(await stateOf(piece)).toBe('kept')
  })

  it('pays from the wallet that a session key speaks for', async () => {
    const payer = '0x00000000000000000000000000000000000000aa'
    provider = open({ payer })
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
    curio.mood = mood
    const piece = await makePiece(14)
    await offer(piece)
    await until(piece, 'failed')
    expect(await status(piece)).toMatchObject({ reason: expect.stringContaining(reason) })
    curio.mood = 'well'
    await bring(piece)
  })

  it('stops when the piece is removed meanwhile', async () => {
    contracts.isHeld = true
    const piece = await makePiece(13)
    await offer(piece)
    await soon(() => expect(curio.requests).toContain('POST data-sets'))
    await provider.remove(piece, { signal })
    expect(await stateOf(piece)).toBe('unknown')
    await contracts.mine(5)
    expect(livePieces()).toHaveLength(0)
  })
})

describe('the chain', () => {
  it.each(['down', 'garbage', 'endless', 'other-chain'] as const)(
    'is reported as %s without its URL',
    async (fault) => {
      const piece = await makePiece(20)
      provider = open({ rpcUrl: `${rpc.url}/secret-of-the-operator` })
      rpc.fault = fault
      for (const work of [offer, status, () => provider.remove(piece, { signal })]) {
        const error = await faultOf(work(piece))
        expect(error.code).toBe('UPSTREAM_FAILED')
        const texts = `${error.message} ${JSON.stringify(error.details)} ${String(error.cause)} ${error.stack}`
        expect(texts).not.toContain('secret-of-the-operator')
        expect(texts).not.toContain(key.slice(2))
      }
      rpc.fault = 'none'
      await bring(piece)
    },
  )

  it('must know the provider by the URL of the settings', async () => {
    contracts.provider.serviceURL = 'https://elsewhere.example'
    const error = await faultOf(offer(await makePiece(21)))
    expect(error.message).toContain('URL of the provider in the registry differs')
    expect(curio.requests).toEqual([])
  })

  it('returns an answer in time or an error', async () => {
    const late = AbortSignal.timeout(1)
    await soon(() => expect(late.aborted).toBe(true))
    expect((await faultOf(provider.status(await makePiece(22), { signal: late }))).message).toContain('in time')
  })

  it('rejects an invalid key, without quoting it', () => {
    const wrong = `0x${'f'.repeat(64)}`
    expect(() => openFilecoinChain(describeSettings({ key: wrong }))).toThrow('the key of fil is not a private key')
  })
})

describe('a kept piece', () => {
  it('is read in ranges, and a provider that ignores ranges is not trusted', async () => {
    const piece = await makePiece(30)
    await bring(piece)
    const whole = source.payloads.get(piece) ?? Buffer.alloc(0)
    const read = async (start: number, end: number) => {
      const parts: Uint8Array[] = []
      for await (const part of provider.retrieve(piece, { start, end }, { signal })) parts.push(part)
      return Buffer.concat(parts)
    }
    expect(provider.retrievalUrl(piece)).toBe(`${curio.url}/piece/${piece}`)
    expect(await read(100, 5000)).toEqual(whole.subarray(100, 5000))
    curio.mood = 'ignores-ranges'
    expect(await read(0, whole.length)).toEqual(whole)
    expect((await faultOf(read(1, 2))).message).toContain('ignored the requested range')
    curio.mood = 'down'
    expect((await faultOf(read(1, 2))).code).toBe('UPSTREAM_FAILED')
  })

  it('is removed once, also on a repeated request, and can come back', async () => {
    const piece = await makePiece(31)
    await bring(piece)
    curio.losing.add('DELETE pieces')
    await faultOf(provider.remove(piece, { signal }))
    await provider.remove(piece, { signal })
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

  it('receives no challenge of ours', async () => {
    const challenge = { nonce: new Uint8Array(32), count: 5, within: [{ start: 0, count: 4 }] }
    expect((await faultOf(provider.challenge(await makePiece(32), challenge, { signal }))).code).toBe('NOT_SUPPORTED')
  })
})

describe('proofs on the chain', () => {
  const chain = () => openFilecoinChain(describeSettings())
  const inspect = (piece: string, keptSince: bigint, provenAt: number | null = null) =>
    provider.lastProof?.(piece, { keptAt: chain().timeOf(keptSince), provenAt }, { signal }) ?? Promise.reject()
  const read = async (piece: string, keptSince: bigint, provenAt: number | null = null) => {
    await contracts.mine(2)
    return inspect(piece, keptSince, provenAt)
  }

  it('are shown by chain, epoch and transaction', async () => {
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
    expect((await read(piece, kept)).missed).toContain(`epoch ${deadline}`)
    await contracts.beginPeriod(1n)
    await contracts.prove(1n)
    // Once it proves again, nothing kept from then on is missed.
    expect(await read(piece, contracts.head)).toMatchObject({ newest: { leafCount: 5 }, missed: undefined })
  })

  it('that are known are not fetched again, as the endpoint may have dropped their epoch', async () => {
    const piece = await makePiece(45)
    await bring(piece)
    const kept = contracts.head
    await contracts.beginPeriod(1n)
    await contracts.prove(1n)
    const known = (await read(piece, kept)).newest?.provenAt ?? 0
    await contracts.mine(10)
    contracts.knownFrom = contracts.head - 3n
    provider = open()
    expect(await inspect(piece, kept, known)).toEqual({ newest: undefined, missed: undefined })
    expect((await faultOf(inspect(piece, kept))).code).toBe('UPSTREAM_FAILED')
    await contracts.passTo((contracts.dataSets[0]?.deadline ?? 0n) + 250n)
    contracts.knownFrom = contracts.head - 3n
    expect((await inspect(piece, kept)).missed).toBeDefined()
  })

  it('of a piece that the chain does not have are ignored', async () => {
    expect((await faultOf(read(await makePiece(44), 0n))).code).toBe('PIECE_NOT_FOUND')
  })
})

describe('the published client', () => {
  it('works with the stand-in of Curio as with Curio', async () => {
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
