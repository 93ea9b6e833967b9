import { localPriceFeedAbi } from '@cairn/contracts'
import { localPriceFeedBytecode } from '@cairn/contracts/deploy'
import { createDependencies } from '@cairn/service'
import pino from 'pino'
import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parsePaymentSettings } from '../settings/payment-settings.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { type PaymentChain, startPaymentChain, startRpcLiar } from './payment-chain.fixture.ts'
import { createPrices, type Prices } from './prices.ts'

const hour = 3_600_000
const minute = 60_000
const heartbeat = hour
let place: PaymentChain
/** The reference time of these tests. */
let now: number
const clock = { now: () => now }

beforeAll(async () => {
  place = await startPaymentChain()
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  now = Math.floor(Date.now() / 1000) * 1000
})

/** Adds a round and waits until it is mined. */
async function push(feed: Hex, price: bigint, atMs: number): Promise<void> {
  const [owner] = place.chain.wallets
  const args = [price, BigInt(atMs / 1000)] as const
  const hash = await owner.writeContract({ address: feed, abi: localPriceFeedAbi, functionName: 'pushAt', args })
  await place.chain.reader.waitForTransactionReceipt({ hash })
}

/** Deploys a feed with rounds of these prices at these times, in ms from `now`. */
async function deployFeed(rounds: readonly [price: bigint, atMs: number][], decimals = 8): Promise<Hex> {
  const feed = await place.chain.deploy(localPriceFeedAbi, localPriceFeedBytecode, [decimals, 'X / USD', 0n])
  for (const [price, atMs] of rounds) await push(feed, price, now + atMs)
  return feed
}

/** Selectors of the calls of a feed. */
const latestRound = '0xfeaf968c'
const roundData = '0x9a6fc8f5'

/** The answer of a feed to the question for its latest round. */
async function latestOf(feed: Hex): Promise<{ result?: unknown }> {
  return callFeed({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: feed, data: latestRound }, 'latest'] })
}

async function callFeed(question: Record<string, unknown>): Promise<{ result?: unknown }> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(place.chain.url, { method: 'POST', headers, body: JSON.stringify(question) })).json()
}

/** Starts an endpoint that presents a feed as the second phase of one whose first phase is another feed. */
async function startTwoPhases(first: Hex, second: Hex) {
  const phaseWord = (word: string, phase: bigint): string =>
    ((phase << 64n) + (BigInt(`0x${word}`) & (2n ** 64n - 1n))).toString(16).padStart(64, '0')
  return startRpcLiar(place.chain.url, async (question) => {
    const [call] = question.params as [{ to?: string; data: string }]
    const isRound = question.method === 'eth_call' && call.to?.toLowerCase() === second.toLowerCase()
    if (!isRound || !(call.data.startsWith(latestRound) || call.data.startsWith(roundData))) return undefined
    const asked = call.data.startsWith(roundData) ? BigInt(`0x${call.data.slice(10)}`) >> 64n : 2n
    if (asked !== 1n && asked !== 2n) return { error: { code: 3, message: 'execution reverted' } }
    const to = asked === 1n ? first : second
    const data = call.data.slice(0, 10) + (call.data.length > 10 ? phaseWord(call.data.slice(10), 1n) : '')
    const answer = await callFeed({ ...question, jsonrpc: '2.0', params: [{ to, data }, 'latest'] })
    if (typeof answer.result !== 'string') return answer
    return { result: `0x${phaseWord(answer.result.slice(2, 66), asked)}${answer.result.slice(66)}` }
  })
}

function open(
  feeds: readonly Hex[],
  more: Record<string, unknown> = {},
  feedMore: Record<string, unknown> = {},
): Prices {
  const settings = parsePaymentSettings(
    JSON.stringify({
      networks: { local: { chainId: 31337, rpcUrls: [place.chain.url], contract: place.payments, symbol: 'ETH' } },
      prices: {
        ETH: {
          feeds: feeds.map((address) => ({
            network: 'local',
            address,
            heartbeatSeconds: heartbeat / 1000,
            ...feedMore,
          })),
          ...more,
        },
      },
    }),
  )
  const log = pino({ level: 'silent' })
  return createPrices({ clock, log, dependencies: createDependencies({ clock, log }) }, settings.prices)
}

describe('a ticker', () => {
  test('is the last round, in any case of the symbol; a stale one is marked', async () => {
    const feed = await deployFeed([
      [3_00000000n, -2 * hour],
      [4_20000000n, -minute],
    ])
    const prices = open([feed])
    expect(await prices.getTicker('eth')).toMatchObject({ price: 4_20000000n, decimals: 8 })
    now += heartbeat + 8 * minute
    expect(await prices.getTicker('ETH')).toMatchObject({ price: 4_20000000n })
    now += 10 * minute
    await expect(prices.getTicker('ETH')).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' })
    await expect(prices.getTicker('DOGE')).rejects.toMatchObject({
      code: 'PRICE_UNKNOWN',
      message: expect.stringContaining('DOGE'),
    })
  })

  test('is cached for ten seconds, for any number of requests', async () => {
    const feed = await deployFeed([[1_00000000n, -minute]])
    const prices = open([feed])
    await prices.getTicker('ETH')
    await push(feed, 2_00000000n, now)
    expect((await prices.getTicker('ETH')).price).toBe(1_00000000n)
    now += 11_000
    expect((await prices.getTicker('ETH')).price).toBe(2_00000000n)
  })

  test('is read again when a clock that was ahead is set back', async () => {
    const feed = await deployFeed([[1_00000000n, -minute]])
    const prices = open([feed])
    now += minute
    await prices.getTicker('ETH')
    now -= minute
    await push(feed, 2_00000000n, now)
    expect((await prices.getTicker('ETH')).price).toBe(2_00000000n)
  })

  test.each([0n, -5n])('of %s is unavailable', async (price) => {
    await expect(open([await deployFeed([[price, 0]])]).getTicker('ETH')).rejects.toMatchObject({
      code: 'PRICE_UNKNOWN',
    })
  })

  test('is unavailable if feeds differ widely, and available if they agree or only one answers', async () => {
    const one = await deployFeed([[100_00000000n, 0]])
    const near = await deployFeed([[104_0000n, 0]], 4)
    const far = await deployFeed([[110_00000000n, 0]])
    expect((await open([one, near]).getTicker('ETH')).price).toBe(100_00000000n)
    await expect(open([one, far]).getTicker('ETH')).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' })
    expect((await open([one, far], { deviationPercent: 12 }).getTicker('ETH')).price).toBe(100_00000000n)
    const nowhere: Hex = `0x${'9'.repeat(40)}`
    expect((await open([nowhere, near]).getTicker('ETH')).price).toBe(104_0000n)
    await expect(open([nowhere]).getTicker('ETH')).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' })
  })

  test('of a roll-up is valid once its sequencer has been up for an hour', async () => {
    const feed = await deployFeed([[1_00000000n, 0]])
    const up = await deployFeed([[0n, -2 * hour]], 0)
    const down = await deployFeed([[1n, -2 * hour]], 0)
    const just = await deployFeed([[0n, -minute]], 0)
    expect((await open([feed], {}, { sequencer: up }).getTicker('ETH')).price).toBe(1_00000000n)
    for (const sequencer of [down, just]) {
      await expect(open([feed], {}, { sequencer }).getTicker('ETH')).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' })
    }
  })
})

describe('the price for a time', () => {
  test('is found among many rounds, and never changes', async () => {
    const rounds = Array.from({ length: 60 }, (_round, i): [bigint, number] => [
      BigInt(i + 1) * 100000000n,
      (i - 60) * 20 * minute,
    ])
    const prices = open([await deployFeed(rounds)])
    for (const i of [0, 1, 29, 30, 58, 59]) {
      const at = now + (rounds[i]?.[1] ?? 0) + 11 * minute
      expect(await prices.getPriceAt('ETH', at)).toMatchObject({ price: BigInt(i + 1) * 100000000n })
    }
    now += 30 * 24 * hour
    expect(await prices.getPriceAt('ETH', now - 30 * 24 * hour - 9 * minute)).toMatchObject({ price: 60_00000000n })
    expect(await prices.getPriceAt('ETH', now - 40 * 24 * hour)).toBeUndefined()
    expect(await prices.getPriceAt('DOGE', now)).toBeUndefined()
  })

  test('is the highest of the ten minutes before', async () => {
    const feed = await deployFeed([
      [9_00000000n, -30 * minute],
      [5_00000000n, -12 * minute],
      [4_00000000n, -8 * minute],
      [3_00000000n, -minute],
    ])
    expect(await open([feed]).getPriceAt('ETH', now)).toMatchObject({ price: 5_00000000n })
    expect(await open([feed]).getPriceAt('ETH', now + 3 * minute)).toMatchObject({ price: 4_00000000n })
    expect(await open([feed]).getPriceAt('ETH', now + 20 * minute)).toMatchObject({ price: 3_00000000n })
  })

  test('is that of a round that began while the block was made, if it is higher', async () => {
    const feed = await deployFeed([
      [3_00000000n, -20 * minute],
      [4_00000000n, -5 * minute + 30_000],
      [9_00000000n, -minute],
    ])
    const prices = open([feed])
    // A block has the time at which its making started; the quote may be newer.
    expect(await prices.getPriceAt('ETH', now - 5 * minute)).toMatchObject({ price: 4_00000000n })
    expect(await prices.getPriceAt('ETH', now - 7 * minute)).toMatchObject({ price: 3_00000000n })
  })

  test('is that of an endpoint one round behind until the minute after the block is over', async () => {
    const feed = await deployFeed([[3_00000000n, -5 * minute]])
    const { result: old } = await latestOf(feed)
    await push(feed, 4_00000000n, now - 30_000)
    const target = place.chain.url
    await using behind = await startRpcLiar(target, ({ method, params }) =>
      method === 'eth_call' && JSON.stringify(params).includes(latestRound) ? { result: old } : undefined,
    )
    const prices = open([feed], {}, { network: undefined, rpcUrls: [target, behind.url] })
    const blockTime = now - minute
    expect(await prices.getPriceAt('ETH', blockTime)).toMatchObject({ price: 3_00000000n })
    now += 1000
    expect(await prices.getPriceAt('ETH', blockTime)).toBeUndefined()
  })

  test('is found in earlier phases of a feed, and across two phases', async () => {
    const old = await deployFeed([
      [1_00000000n, -20 * hour],
      [2_00000000n, -19 * hour],
      [7_00000000n, -18 * hour - 5 * minute],
      [5_00000000n, -18 * hour],
      [6_00000000n, -10 * hour],
      // Its contract continued for a while after it was replaced.
      [8_00000000n, -3 * hour],
    ])
    const feed = await deployFeed([
      [4_00000000n, -9 * hour - 55 * minute],
      [3_00000000n, -minute],
    ])
    await using proxy = await startTwoPhases(old, feed)
    const prices = open([feed], {}, { network: undefined, rpcUrls: [proxy.url], heartbeatSeconds: 3 * 3600 })
    const priceAt = async (ms: number) => (await prices.getPriceAt('ETH', now + ms))?.price
    expect(await priceAt(-21 * hour)).toBeUndefined()
    expect(await priceAt(-19 * hour - 30 * minute)).toBe(1_00000000n)
    expect(await priceAt(-17 * hour - 58 * minute)).toBe(7_00000000n)
    expect(await priceAt(-17 * hour)).toBe(5_00000000n)
    // The last round of the earlier phase still applied in the ten minutes before.
    expect(await priceAt(-9 * hour - 54 * minute)).toBe(6_00000000n)
    expect(await priceAt(-9 * hour)).toBe(4_00000000n)
  })

  test('is the first one of the next phase if the earlier one went silent', async () => {
    const old = await deployFeed([[9_00000000n, -20 * hour]])
    const feed = await deployFeed([[4_00000000n, -2 * hour]])
    await using proxy = await startTwoPhases(old, feed)
    const prices = open([feed], {}, { network: undefined, rpcUrls: [proxy.url] })
    expect(await prices.getPriceAt('ETH', now - 10 * hour)).toMatchObject({ price: 4_00000000n })
  })

  test('is unknown if an endpoint returns other rounds than requested', async () => {
    const feed = await deployFeed([
      [4_00000000n, -5 * hour],
      [3_00000000n, -4 * hour],
      [2_00000000n, -minute],
    ])
    const data = `${roundData}${((1n << 64n) + 1n).toString(16).padStart(64, '0')}`
    const first = await callFeed({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: feed, data }, 'latest'] })
    await using liar = await startRpcLiar(place.chain.url, ({ method, params }) =>
      method === 'eth_call' && JSON.stringify(params).includes(roundData) ? { result: first.result } : undefined,
    )
    const prices = open([feed], {}, { network: undefined, rpcUrls: [liar.url] })
    expect(await prices.getPriceAt('ETH', now - 3 * hour)).toBeUndefined()
  })

  test('is unknown while an endpoint refuses requests, not that of the rounds it does return', async () => {
    const feed = await deployFeed([
      [9_00000000n, -12 * minute],
      [4_00000000n, -8 * minute],
      [3_00000000n, -minute],
    ])
    const hidden = ((1n << 64n) + 1n).toString(16)
    let refusal: { code: number; message: string } | undefined
    await using endpoint = await startRpcLiar(place.chain.url, ({ method, params }) => {
      const isHidden =
        method === 'eth_call' && JSON.stringify(params).includes(`${roundData}${hidden.padStart(64, '0')}`)
      return isHidden && refusal !== undefined ? { error: refusal } : undefined
    })
    const prices = open([feed], {}, { network: undefined, rpcUrls: [endpoint.url] })
    expect(await prices.getPriceAt('ETH', now)).toMatchObject({ price: 9_00000000n })
    refusal = { code: -32005, message: 'rate limit exceeded' }
    expect(await prices.getPriceAt('ETH', now)).toBeUndefined()
    refusal = { code: -32000, message: 'VM execution error: Reverted 0x' }
    expect(await prices.getPriceAt('ETH', now)).toMatchObject({ price: 4_00000000n })
  })

  test('is the first one after a silence of the feed', async () => {
    const feed = await deployFeed([
      [9_00000000n, -10 * hour],
      [4_00000000n, -2 * hour],
      [3_00000000n, -hour],
    ])
    expect(await open([feed]).getPriceAt('ETH', now - 5 * hour)).toMatchObject({ price: 4_00000000n })
  })
})

test('the price over HTTP is a bare number, or an error with a code', async () => {
  await using storage = await startTestStorage({ CAIRN_PAYMENTS: place.settings() })
  const answer = await storage.call('/api/lighthouse/get_ticker?symbol=ETH')
  expect([answer.status, answer.body]).toEqual([200, '2000'])
  const unknown = await storage.call('/api/lighthouse/get_ticker?symbol=FIL')
  expect([unknown.status, unknown.headers.get('x-cairn-code')]).toEqual([503, 'PRICE_UNKNOWN'])
  expect((await storage.call('/api/lighthouse/get_ticker?symbol=../etc')).status).toBe(400)
  const unpaid = await storage.call('/api/faucet', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: place.alice.account.address }),
  })
  expect([unpaid.status, unpaid.headers.get('x-cairn-code')]).toEqual([501, 'NOT_SUPPORTED'])
})
