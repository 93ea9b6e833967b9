import { setImmediate as turn } from 'node:timers/promises'
import { serializeErc6492Signature } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { type ChainEndpoint, contractNo, contractYes, serveChain } from './chain-endpoint.fixture.ts'
import { type ContractLimits, createContractVerifier } from './contract-verifier.ts'
import { createChainClient } from './rpc.ts'

const signature = `0x${'ab'.repeat(100)}` as const
const texts = Array.from({ length: 40 }, (_text, i) => `text ${i}`)
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const

const open: ChainEndpoint[] = []
afterEach(() => {
  for (const endpoint of open.splice(0)) endpoint[Symbol.dispose]()
})

async function openChain(answer: Parameters<typeof serveChain>[0]): Promise<ChainEndpoint> {
  const endpoint = await serveChain(answer)
  open.push(endpoint)
  return endpoint
}

function createVerifier({ url }: ChainEndpoint, limits: Partial<ContractLimits> = {}) {
  const parts = { clock: { now: () => Date.now() } }
  const client = createChainClient({ name: 'Local', rpcUrls: [url] }, parts)
  const verify = createContractVerifier(limits)
  return (address: `0x${string}`, given: `0x${string}` = signature) =>
    verify([client], { address, texts, signature: given })
}

test('verifies all messages with one request and caches the result for seconds without a contract', async () => {
  const endpoint = await openChain(() => '0x')
  const verify = createVerifier(endpoint)
  expect([await verify(addressOf(1)), await verify(addressOf(1))]).toEqual([undefined, undefined])
  expect(endpoint.requestCounts).toEqual({ eth_getCode: 1 })
})

test('queries a contract about a few texts at a time, with bounded gas, and stops at the first match', async () => {
  const endpoint = await openChain((method, count) =>
    method === 'eth_getCode' ? '0x60' : count === 3 ? contractYes : contractNo,
  )
  expect(texts.slice(0, 4)).toContain(await createVerifier(endpoint)(addressOf(1)))
  expect(endpoint.gas).toEqual(['0xf4240', '0xf4240', '0xf4240', '0xf4240'])
})

test('sends no request for an oversized signature', async () => {
  const endpoint = await openChain(() => contractYes)
  expect(await createVerifier(endpoint)(addressOf(1), `0x${'ab'.repeat(4097)}`)).toBeUndefined()
  expect(endpoint.requestCounts).toEqual({})
})

test('all texts share one time limit', async () => {
  const endpoint = await openChain((method, count) =>
    method === 'eth_getCode' ? '0x60' : count <= 4 ? contractNo : undefined,
  )
  await expect(createVerifier(endpoint, { timeoutMs: 500 })(addressOf(1))).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
  })
  // A busy machine may send fewer in that time, never more.
  expect(endpoint.requestCounts['eth_call'] ?? 0).toBeLessThanOrEqual(8)
})

const limit = { code: -32005, message: 'daily request count exceeded, request rate limited' }
const notDeployed = serializeErc6492Signature({ address: addressOf(9), data: '0x01', signature })

test.each([
  ['of the code', 'eth_getCode', signature],
  ['of the contract', 'eth_call', signature],
  ['of a contract that is not deployed', 'eth_call', notDeployed],
])('an endpoint that answers with an error instead %s does not reject the signature', async (_what, method, given) => {
  const endpoint = await openChain((asked) => (asked === method ? limit : '0x60'))
  await expect(createVerifier(endpoint)(addressOf(1), given)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
})

test.each([
  ['reverts', { code: 3, message: 'execution reverted' }],
  ['needs too much gas', { code: -32000, message: 'out of gas' }],
])('a contract that %s rejects the signature', async (_what, answer) => {
  const endpoint = await openChain((method) => (method === 'eth_getCode' ? '0x60' : answer))
  const verify = createVerifier(endpoint)
  expect([await verify(addressOf(1)), await verify(addressOf(1), notDeployed)]).toEqual([undefined, undefined])
})

test('limits concurrent checks in total and per address, and rejects further ones', async () => {
  const endpoint = await openChain(() => undefined)
  const { silent } = endpoint
  const verify = createVerifier(endpoint, { maxInFlight: 3, maxInFlightPerAddress: 2 })
  const limited = { code: 'RATE_LIMITED', retryAfterSeconds: 5 }
  const running = [verify(addressOf(1)), verify(addressOf(1))]
  await expect(verify(addressOf(1))).rejects.toMatchObject(limited)
  running.push(verify(addressOf(2)))
  await expect(verify(addressOf(3))).rejects.toMatchObject(limited)
  const settled = Promise.allSettled(running)
  while (silent.length < 2) await turn()
  for (const response of silent) response.end('{"jsonrpc":"2.0","id":1,"result":"0x"}')
  expect(await settled).toEqual(running.map(() => ({ status: 'fulfilled', value: undefined })))
  const after = verify(addressOf(3))
  while (silent.length < 3) await turn()
  silent[2]?.end('{"jsonrpc":"2.0","id":1,"result":"0x"}')
  expect(await after).toBeUndefined()
})
