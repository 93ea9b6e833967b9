import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FilecoinContracts } from '../providers/filecoin/contracts.fixture.ts'
import { type ServedCurio, serveCurio } from '../providers/filecoin/curio.fixture.ts'
import { type ServedChain, serveFilecoinRpc } from '../providers/filecoin/rpc.fixture.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

const key = `0x${'5a'.repeat(32)}`
const genesisMs = 1_667_326_380_000

let contracts: FilecoinContracts
let rpc: ServedChain
let curio: ServedCurio
let storage: TestStorage

beforeEach(async () => {
  const registered = { id: 7n, payee: '0x00000000000000000000000000000000000000bb', serviceURL: '' } as const
  contracts = new FilecoinContracts({ ...registered }, BigInt(Math.floor((Date.now() - genesisMs) / 30_000)))
  contracts.blocksAfter = 2
  rpc = await serveFilecoinRpc(contracts)
  curio = await serveCurio(contracts)
  contracts.provider.serviceURL = curio.url
  const settings = { kind: 'filecoin', name: 'fil', network: 'calibration', providerId: 7, confirmations: 1, key }
  storage = await startTestStorage({
    CAIRN_PROVIDERS: JSON.stringify([{ ...settings, rpcUrl: `${rpc.url}/key-of-the-endpoint`, url: curio.url }]),
    CAIRN_DEALS: JSON.stringify({ copies: 1, waitSeconds: 0, challengeSeconds: 1, pollMs: 50 }),
  })
})
afterEach(async () => {
  await storage[Symbol.asyncDispose]()
  await curio[Symbol.asyncDispose]()
  await rpc[Symbol.asyncDispose]()
})

async function upload(): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(100_000).fill(7)]), 'seven')
  const apiKey = await storage.createKey()
  const { json } = await storage.call('/api/v0/add?cid-version=1', { method: 'POST', body, ...bearer(apiKey) })
  return (json as { Hash: string }).Hash
}

type Shown = {
  lastProof: { outcome: string; nonce: string; nonceSource: string; leafCount: number; answer: unknown } | null
  provider: { kind: string; url: string | null }
  retrievalUrl: string | null
}

async function showDeals(cid: string): Promise<Shown[]> {
  const { json } = await storage.call(`/api/proofs/${cid}`)
  return (json as { pieces?: { aggregate: { deals: Shown[] } | null }[] }).pieces?.[0]?.aggregate?.deals ?? []
}

type Row = { state: string; proven_at: number | null; proofs: number; faults: number; error: string | null }

/** Waits for a state of a deal; only transactions add epochs meanwhile. */
const until = (wanted: Partial<Row>) =>
  vi.waitFor(
    async () => {
      const rows = await storage.context.db.read.selectFrom('deal').selectAll().execute()
      expect(rows).toContainEqual(expect.objectContaining(wanted))
    },
    { timeout: 120_000, interval: 20 },
  )

async function prove(): Promise<bigint> {
  await contracts.beginPeriod(1n)
  await contracts.prove(1n)
  const epoch = contracts.head
  await contracts.mine(2)
  return epoch
}

it('brings an aggregate to Filecoin and shows its on-chain proofs, by the settings alone', async () => {
  const cid = await upload()
  await until({ state: 'kept' })
  const epoch = await prove()
  await until({ state: 'proving', proofs: 1, proven_at: genesisMs + Number(epoch) * 30_000 })
  const [deal] = await showDeals(cid)
  expect(deal?.provider).toMatchObject({ kind: 'filecoin', url: null })
  expect(deal?.retrievalUrl).toMatch(`${curio.url}/piece/bafk`)
  expect(deal?.lastProof).toMatchObject({ outcome: 'proved', leafCount: 5, answer: null })
  expect(deal?.lastProof?.nonce).toMatch(/^[0-9a-f]{64}$/)
  expect(deal?.lastProof?.nonceSource).toContain(`chain 314159, epoch ${epoch}, data set 1`)

  // The same proof is recorded once, then the next one.
  await contracts.passTo((contracts.dataSets[0]?.deadline ?? 0n) + 1n)
  await prove()
  await until({ state: 'proving', proofs: 2 })
  const { json } = await storage.call(`/api/pieces/${[...curio.parked.keys()][0]}/checks`)
  expect((json as { checks: unknown[] }).checks).toHaveLength(2)

  // This period has its proof; the next one never begins.
  await contracts.passTo((contracts.dataSets[0]?.deadline ?? 0n) + 240n + 3n)
  await until({ state: 'faulted', faults: 1, error: expect.stringContaining('No proof was submitted in the window') })
  const logged = storage.log.join('\n')
  expect(logged).not.toContain(key.slice(2))
  expect(logged).not.toContain('key-of-the-endpoint')
})

it('goes back a step with the chain before the first proof, and tolerates an unreadable chain', async () => {
  await upload()
  await until({ state: 'kept' })
  rpc.fault = 'down'
  await until({ state: 'kept', error: expect.stringContaining('UPSTREAM_FAILED') })
  rpc.fault = 'none'
  await until({ state: 'kept', error: null })
  const added = contracts.transactions.length
  await contracts.reorganise(Number(contracts.head - contracts.blockOf(1n)) + 1)
  expect(contracts.dataSets[0]?.pieces).toEqual([])
  await until({ state: 'kept', error: null })
  await vi.waitFor(() => expect(contracts.dataSets[0]?.pieces).toHaveLength(1), { timeout: 60_000 })
  expect(contracts.transactions.length).toBeGreaterThanOrEqual(added)
})

it('reports a piece as lost if the chain no longer has it after its proof', async () => {
  await upload()
  await until({ state: 'kept' })
  await prove()
  await until({ state: 'proving' })
  await contracts.dropPiece(1n, 0n)
  await contracts.mine(2)
  await until({ state: 'faulted', error: expect.stringContaining('PIECE_NOT_FOUND') })
})
