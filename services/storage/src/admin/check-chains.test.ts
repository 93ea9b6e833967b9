// Checks each endpoint of a real chain, with liars in front of it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PaymentChain, startPaymentChain, startRpcLiar } from '../payments/payment-chain.fixture.ts'
import { parsePaymentSettings } from '../settings/payment-settings.ts'
import { checkChain } from './check-chains.ts'

let place: PaymentChain
beforeAll(async () => {
  place = await startPaymentChain()
})
afterAll(() => place?.[Symbol.asyncDispose]())

async function check(network: Record<string, unknown> = {}) {
  const [one] = parsePaymentSettings(place.settings(network)).networks
  if (one === undefined) throw new Error('no network')
  return checkChain(one)
}
const liar = (method: string, result: unknown) =>
  startRpcLiar(place.chain.url, (question) => (question.method === method ? { result } : undefined))

test('accepts two endpoints that agree about chain, contract and block', async () => {
  await using second = await liar('none', undefined)
  const report = await check({ rpcUrls: [place.chain.url, second.url] })
  expect(report.findings).toEqual([])
  expect(report.heads).toEqual([expect.any(Number), report.heads[0]])
})

test('reports a single endpoint', async () => {
  expect((await check()).findings).toEqual([
    expect.objectContaining({ problem: expect.stringContaining('Only one endpoint') }),
  ])
})

test.each([
  ['another chain', 'eth_chainId', '0x1', /on chain 1, the configured chain is 31337/],
  ['no contract', 'eth_getCode', '0x', /no contract/],
  ['another contract', 'eth_getCode', '0x6001', /not the payment contract/],
  ['another block', 'eth_getBlockByNumber', { number: '0x0', hash: `0x${'ab'.repeat(32)}` }, /disagree about block 0/],
])('reports an endpoint with %s by its position, not by its URL', async (_what, method, result, problem) => {
  await using second = await liar(method, result)
  const { findings } = await check({ rpcUrls: [place.chain.url, second.url] })
  expect(findings).toEqual([
    {
      network: 'local',
      endpoint: method === 'eth_getBlockByNumber' ? undefined : 2,
      problem: expect.stringMatching(problem),
    },
  ])
  expect(JSON.stringify(findings)).not.toContain('127.0.0.1')
})

test('reports an endpoint that does not answer, and compares the others', async () => {
  const { findings, heads } = await check({ rpcUrls: ['http://127.0.0.1:1', place.chain.url] })
  expect(findings).toEqual([{ network: 'local', endpoint: 1, problem: expect.stringContaining('is unreachable') }])
  expect(heads).toEqual([undefined, expect.any(Number)])
})
