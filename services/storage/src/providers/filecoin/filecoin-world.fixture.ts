import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodePieceCid, hashPiece } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { expect, vi } from 'vitest'
import type { Provider } from '../provider.ts'
import type { openFilecoinChain } from './chain.ts'
import { FilecoinContracts } from './contracts.fixture.ts'
import { type ServedCurio, serveCurio } from './curio.fixture.ts'
import { createFilecoinProvider } from './provider.ts'
import { type ServedChain, serveFilecoinRpc } from './rpc.fixture.ts'

const key = `0x${'5a'.repeat(32)}` as const
const payee = '0x00000000000000000000000000000000000000bb'
const token = 'a token of the deal'
const content = [{ start: 0, count: 4 }]
const { signal } = new AbortController()

type ChainSettings = Parameters<typeof openFilecoinChain>[0]

/** The source of the pieces of a deal. */
type Source = AsyncDisposable & {
  url: string
  payloads: Map<string, Buffer>
  fault: 'none' | 'short' | 'long' | 'gone'
}

/** A chain with its contracts, a provider on it, and the adapter under test. */
export type FilecoinWorld = AsyncDisposable & {
  readonly contracts: FilecoinContracts
  readonly rpc: ServedChain
  readonly curio: ServedCurio
  readonly source: Source
  /** Private key of the settings. */
  readonly key: typeof key
  /** The adapter; a test may replace it. */
  provider: Provider
  describeSettings(changes?: Partial<ChainSettings>): ChainSettings
  /** Opens the adapter, as after a start of the service. */
  open(changes?: Partial<ChainSettings>): Provider
  makePiece(seed: number, sizeBytes?: number): Promise<string>
  offer(piece: string, to?: Provider): ReturnType<Provider['offer']>
  status(piece: string, of?: Provider): ReturnType<Provider['status']>
  stateOf(piece: string): Promise<string>
  /** Waits for a state that needs no new blocks. */
  until(piece: string, state: string): Promise<void>
  /** Drives a piece as the worker does: offers it whenever it is unknown, and mines. */
  bring(piece: string): Promise<void>
  /** Pieces on the chain that are neither removed nor about to be. */
  livePieces(): unknown[]
}

/** Waits for what happens without new blocks. */
export async function soon(inspect: () => unknown): Promise<void> {
  await vi.waitFor(inspect, { timeout: 60_000, interval: 5 })
}

/** Returns the error of ours with which `work` fails. */
export async function failureOf(work: Promise<unknown>): Promise<CairnError> {
  const [outcome] = await Promise.allSettled([work])
  if (outcome.status === 'fulfilled') throw new Error('it did not fail', { cause: outcome.value })
  if (!CairnError.is(outcome.reason)) throw outcome.reason
  return outcome.reason
}

export async function openFilecoinWorld(): Promise<FilecoinWorld> {
  const contracts = new FilecoinContracts({ id: 7n, payee, serviceURL: '' })
  const rpc = await serveFilecoinRpc(contracts)
  const curio = await serveCurio(contracts)
  contracts.provider.serviceURL = curio.url
  const source = await serveSource()
  const describeSettings: FilecoinWorld['describeSettings'] = (changes = {}) => ({
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
  })
  const open: FilecoinWorld['open'] = (changes) => createFilecoinProvider(describeSettings(changes), { recheckMs: 5 })
  const world: FilecoinWorld = {
    contracts,
    rpc,
    curio,
    source,
    key,
    provider: open(),
    describeSettings,
    open,
    async makePiece(seed, sizeBytes = 70_000) {
      const bytes = Buffer.from(
        Uint8Array.from({ length: sizeBytes }, (_, at) => Math.imul(at + seed, 2_654_435_761) >>> 24),
      )
      const piece = encodePieceCid((await hashPiece([bytes])).piece)
      source.payloads.set(piece, bytes)
      return piece
    },
    offer: (piece, to = world.provider) =>
      to.offer(piece, { url: `${source.url}/${piece}`, token, content }, { signal }),
    status: (piece, of = world.provider) => of.status(piece, { signal }),
    stateOf: async (piece) => (await world.status(piece)).state,
    until: (piece, state) => soon(async () => expect(await world.status(piece)).toMatchObject({ state })),
    async bring(piece) {
      for (let round = 0; round < 200; round++) {
        const { state } = await world.status(piece)
        if (state === 'kept') return
        if (state === 'unknown' || state === 'failed') await world.offer(piece).catch(() => undefined)
        await contracts.mine()
        await soon(async () => expect(['queued']).not.toContain(await world.stateOf(piece)))
      }
      throw new Error(`it did not come: ${JSON.stringify(await world.status(piece))}`)
    },
    livePieces: () =>
      contracts.dataSets.flatMap((set) =>
        set.pieces.filter(({ isRemoved }, id) => !isRemoved && !set.scheduled.includes(BigInt(id))),
      ),
    async [Symbol.asyncDispose]() {
      world.provider.close?.()
      await source[Symbol.asyncDispose]()
      await curio[Symbol.asyncDispose]()
      await rpc[Symbol.asyncDispose]()
    },
  }
  return world
}

async function serveSource(): Promise<Source> {
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
  const served: Source = {
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
