// Value of stablecoins: several contracts of one coin, and feeds that report whether one is still worth a dollar.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesForUnits, GIB, MIB } from '@cairn/protocol'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { type PaymentChain, startPaymentChain } from './payment-chain.fixture.ts'
import { openBooks, openFollower } from './payment-context.fixture.ts'

const free = GIB
const paid = 1_000_000n
const day = 86_400
const dollar = 1_00000000n
let place: PaymentChain
let snapshot: Hex
let folder: string
let db: Database
let count = 0
const clock = { ms: 0, now: () => clock.ms }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-stablecoins-'))
  place = await startPaymentChain()
  snapshot = await place.chain.miner.snapshot()
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await place.chain.miner.revert({ id: snapshot })
  snapshot = await place.chain.miner.snapshot()
  db = await openDatabase({ kind: 'sqlite', path: join(folder, `${count++}.sqlite`) })
  clock.ms = Date.now()
})
afterEach(() => db.close())

function follow(network: Record<string, unknown>, prices: Record<string, unknown> = {}) {
  const settings = JSON.parse(place.settings(network))
  Object.assign(settings.prices, prices)
  return openFollower(db, clock, {
    CAIRN_HOME: folder,
    CAIRN_PAYMENTS: JSON.stringify(settings),
    CAIRN_FREE_BYTES: String(free),
  })
}
/** Configures a feed for USDC. */
const watch = (address: Hex, source: Record<string, unknown> = {}) =>
  follow({}, { USDC: { feeds: [{ network: 'local', address, heartbeatSeconds: day }], ...source } })
const payUsdc = async () => {
  await place.payToken(place.alice, 'usdc', paid)
  await place.mine(2)
}
const rows = () => openBooks(db).rows()
const whole = Number(bytesForUnits(paid, 6))

test('accepts native and bridged USDC on one chain as one coin', async () => {
  const bridged = await place.addToken()
  const { usdc } = place.tokens
  const indexer = follow({
    tokens: {
      usdc: [
        { address: usdc, decimals: 6 },
        { address: bridged, decimals: 6, symbol: 'USDC.e' },
      ],
    },
  })
  await payUsdc()
  await place.payToken(place.alice, bridged, paid)
  await place.mine(2)
  await indexer.round()
  expect(await rows()).toMatchObject([
    { state: 'credited', coin: 'usdc', token: usdc.toLowerCase(), bytes: whole },
    { state: 'credited', coin: 'usdc', token: bridged.toLowerCase(), bytes: whole },
  ])
})

describe('a coin with a feed', () => {
  test('at a dollar counts as exactly one, whatever the feed says above the floor', async () => {
    for (const price of [dollar, 97_000000n, 103_000000n]) {
      const indexer = watch(await place.addFeed(price))
      await payUsdc()
      expect(await indexer.round()).toMatchObject({ credited: 1 })
      expect((await rows()).at(-1)).toMatchObject({ state: 'credited', bytes: whole, price: '1' })
    }
  })

  test('below its floor is not credited at a dollar: the payment waits until it is worth a dollar again', async () => {
    const feed = await place.addFeed(96_999999n)
    const indexer = watch(feed)
    await payUsdc()
    for (let i = 0; i < 3; i++) expect(await indexer.round()).toMatchObject({ credited: 0 })
    const reason = 'USDC was worth less than 0.97 dollars. The payment is credited when the price recovers'
    expect(await rows()).toMatchObject([{ state: 'unpriced', bytes: null, reason }])
    expect(await openBooks(db).limitOf(place.alice.account.address)).toBeUndefined()
    await place.pushPrice(97_000000n, feed)
    clock.ms += 10_000
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(await rows()).toMatchObject([{ state: 'credited', bytes: whole, reason: null }])
    await openBooks(db).expectRight()
  })

  test('that was worth a dollar when it was paid is credited, although it fell before the block was final', async () => {
    const feed = await place.addFeed(dollar)
    await payUsdc()
    await place.chain.miner.increaseTime({ seconds: 60 })
    await place.pushPrice(50_000000n, feed)
    await place.mine(2)
    clock.ms += 60_000
    expect(await watch(feed).round()).toMatchObject({ credited: 1 })
  })

  test('without a fresh price waits', async () => {
    const feed = await place.addFeed(dollar)
    await place.chain.miner.increaseTime({ seconds: 3 * day })
    clock.ms += 3 * day * 1000
    await payUsdc()
    await place.payToken(place.alice, 'dai', 10n ** 18n)
    await place.mine(2)
    const indexer = watch(feed)
    // A coin without a feed is one dollar.
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(await rows()).toMatchObject([
      { coin: 'usdc', state: 'unpriced', reason: expect.stringContaining('No current price of USDC') },
      { coin: 'dai', state: 'credited' },
    ])
    await place.pushPrice(dollar, feed)
    clock.ms += 10_000
    expect(await indexer.round()).toMatchObject({ credited: 1 })
  })

  test('has the floor that its operator sets, and a bridged token its own feed', async () => {
    const bridged = await place.addToken()
    const [usdcFeed, bridgedFeed] = [await place.addFeed(98_000000n), await place.addFeed(20_000000n)]
    const feeds = (address: Hex) => [{ network: 'local', address, heartbeatSeconds: day }]
    const indexer = follow(
      {
        tokens: {
          usdc: [
            { address: place.tokens.usdc, decimals: 6 },
            { address: bridged, decimals: 6, symbol: 'USDC.e', price: 'USDCE' },
          ],
          usdt: { address: place.tokens.usdt, decimals: 6, price: 'USDCE' },
        },
      },
      { USDC: { feeds: feeds(usdcFeed), floor: 0.99 }, USDCE: { feeds: feeds(bridgedFeed), floor: 0.5 } },
    )
    await payUsdc()
    await place.payToken(place.alice, bridged, paid)
    await place.mine(2)
    expect(await indexer.round()).toMatchObject({ credited: 0 })
    expect((await rows()).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('USDC was worth less than 0.99'),
      expect.stringContaining('USDC.e was worth less than 0.5'),
    ])
  })
})

test('payments that wait forever do not delay the price of others', async () => {
  const feed = await place.addFeed(50_000000n)
  await place.chain.miner.increaseTime({ seconds: 3 * day })
  await payUsdc()
  await place.pay(place.alice, 10n ** 15n)
  await place.mine(2)
  clock.ms += 3 * day * 1000
  const indexer = watch(feed)
  await indexer.round()
  expect((await rows()).map(({ coin, state }) => [coin, state])).toEqual([
    ['usdc', 'unpriced'],
    ['native', 'unpriced'],
  ])
  // As many as are retried per round, all before the other one.
  const [held] = await rows()
  if (held === undefined) throw new Error('there is no payment')
  const more = Array.from({ length: 100 }, (_, i) => ({
    ...held,
    id: held.id.slice(0, -4) + i.toString(16).padStart(4, '0'),
    tx_hash: `0x${i.toString(16).padStart(64, '0')}`,
  }))
  for (const row of more) await db.write((trx) => trx.insertInto('payment').values(row).execute())
  await place.pushPrice(1000_00000000n)
  clock.ms += 10_000
  const credited = [await indexer.round(), await indexer.round()].map((round) => round.credited)
  expect(credited.reduce((sum, one) => sum + one, 0)).toBe(1)
  expect((await rows()).filter(({ state }) => state === 'credited')).toMatchObject([
    { coin: 'native', bytes: 256 * MIB },
  ])
})
