// What a payment buys: prices of storage and of coins, when they were shown and how old they are.
import { bytesForUnits, coinPriceOf, GIB, MIB, oneDollar } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { changeOperatorSetting, openAccount, operatorSettings } from '../ledger/ledger.ts'
import { findPriceOfStorage } from './credit.ts'
import { describePayments } from './describe-payments.fixture.ts'
import { startRpcLiar } from './payment-chain.fixture.ts'
import { describeHowToPay } from './payments.ts'

describePayments('a payment on %s', (subject) => {
  test('buys at the price shown in the ten minutes before, then at the price that the operator set', async () => {
    const { place, db, follow, limitOf, expectBooksRight } = subject()
    await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.mine(2)
    const justBefore = Date.now() - 5 * 60_000
    const set = (usd: string, effectiveAt: number) =>
      db.write((trx) => changeOperatorSetting(trx, operatorSettings.price, usd, effectiveAt))
    await set('8', justBefore)
    await follow().round()
    expect(await limitOf(place.alice.account.address)).toBe(Number(bytesForUnits(1_000_000n, 6)))
    await place.payToken(place.bob, 'usdc', 1_000_000n)
    await place.mine(2)
    await set('2', justBefore)
    await follow().round()
    const atTwo = bytesForUnits(1_000_000n, 6, oneDollar, coinPriceOf(2))
    expect(await limitOf(place.bob.account.address)).toBe(Number(atTwo))
    expect(await describeHowToPay(db.read, follow().context.config.payments, GIB)).toMatchObject([
      { tokens: { usdc: '2000000', dai: (2n * 10n ** 18n).toString() } },
    ])
    await expectBooksRight()
    // Set, quoted and paid while a block is made, which is dated at its start.
    const blockTime = Number((await place.chain.reader.getBlock()).timestamp) * 1000 + 3_600_000
    await set('1', blockTime + 60_000)
    expect(await findPriceOfStorage(db.read, blockTime)).toEqual(coinPriceOf(1))
    expect(await findPriceOfStorage(db.read, blockTime - 1000)).toEqual(coinPriceOf(2))
  })

  test('is accepted in each coin, for the payer and for others, many within the time of one transaction', async () => {
    const { place, follow, rows, limitOf, expectBooksRight } = subject()
    await place.pay(place.alice, 10n ** 15n)
    await place.payToken(place.alice, 'usdt', 4_000_000n)
    await place.payToken(place.alice, 'dai', 4n * 10n ** 18n)
    await place.payFor(place.bob, place.alice.account.address, 10n ** 15n)
    await place.mine(2)
    expect(await follow().round()).toMatchObject({ credited: 4 })
    // Twice 0.001 of a coin at 2,000 dollars, twice four dollars.
    expect(await limitOf(place.alice.account.address)).toBe(2 * 2 * 256 * MIB + 2 * 4 * 256 * MIB + 134)
    expect((await rows()).map(({ payer }) => payer)).toContain(place.bob.account.address.toLowerCase())
    expect(await limitOf(place.bob.account.address)).toBeUndefined()
    await expectBooksRight()
  })

  test('in the native coin buys at the price before its feed broke, or else at the first one after it', async () => {
    const { place, clock, follow, rows, expectBooksRight } = subject()
    const wait = async (seconds: number) => {
      await place.chain.miner.increaseTime({ seconds })
      clock.ms += seconds * 1000
    }
    await place.pushPrice(0n)
    await place.pay(place.alice, 10n ** 15n)
    await wait(900)
    await place.pushPrice(-5n)
    await place.pay(place.bob, 10n ** 15n)
    await place.mine(2)
    const indexer = follow()
    await indexer.round()
    expect(await rows()).toMatchObject([{ state: 'credited', price: '200000000000' }, { state: 'unpriced' }])
    await wait(900)
    await place.pushPrice(0n)
    await wait(60)
    await place.pushPrice(1000_00000000n)
    await wait(60)
    await place.mine(1)
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect((await rows())[1]).toMatchObject({ state: 'credited', price: '100000000000' })
    await expectBooksRight()
  })

  test('in the native coin waits without a fresh price, and is credited with the first that arrives', async () => {
    const { place, clock, follow, rows, expectBooksRight } = subject()
    const day = 86_400
    await place.chain.miner.increaseTime({ seconds: 3 * day })
    await place.pay(place.alice, 10n ** 15n)
    await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.mine(2)
    clock.ms += 3 * day * 1000
    const indexer = follow()
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(await rows()).toMatchObject([
      {
        state: 'unpriced',
        reason: expect.stringContaining('ETH'),
        reason_facts: expect.stringContaining('PRICE_MISSING'),
      },
      { state: 'credited' },
    ])
    await place.chain.miner.increaseTime({ seconds: 60 })
    await place.pushPrice(1000_00000000n)
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    const [waited] = await rows()
    expect(waited).toMatchObject({ state: 'credited', reason: null, price: '100000000000', bytes: 256 * MIB })
    await expectBooksRight()
  })

  test('without a price asks an endpoint that does not respond once per round, not for each payment', async () => {
    const { place, clock, follow, rows } = subject()
    const seconds = 3 * 86_400
    await place.chain.miner.increaseTime({ seconds })
    clock.ms += seconds * 1000
    for (let i = 0; i < 3; i++) {
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(1)
    }
    await place.mine(2)
    let isBroken = false
    const requests: unknown[] = []
    await using other = await startRpcLiar(place.chain.url, () => undefined)
    await using broken = await startRpcLiar(place.chain.url, ({ params: [block] }) => {
      if (!isBroken) return undefined
      requests.push(block)
      return { error: { code: -32000, message: 'out of order' } }
    })
    const indexer = follow({ rpcUrls: [place.chain.url, other.url, broken.url] })
    await indexer.round()
    expect((await rows()).map(({ state }) => state)).toEqual(['unpriced', 'unpriced', 'unpriced'])
    isBroken = true
    expect(await indexer.round()).toMatchObject({ credited: 0 })
    const numbers = (await rows()).map(({ block_number: number }) => `0x${number.toString(16)}`)
    expect(requests.filter((block) => numbers.includes(`${block}`))).toHaveLength(1)
  })

  test('shares the requests to a price feed with the other payments of its block', async () => {
    const { place, follow } = subject()
    let requests = 0
    await using endpoint = await startRpcLiar(place.chain.url, ({ method }) => {
      if (method === 'eth_call') requests++
      return undefined
    })
    const indexer = follow({ rpcUrls: [endpoint.url] })
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    const requestsForOne = requests
    requests = 0
    await place.payTogether(place.alice, [3n * 10n ** 15n, 4n * 10n ** 15n])
    await place.mine(2)
    expect(await indexer.round()).toMatchObject({ credited: 2 })
    expect(requestsForOne).toBeGreaterThan(1)
    expect(requests).toBe(requestsForOne)
  })

  test('without a price is retried after pauses that grow to an hour', async () => {
    const { place, clock, follow } = subject()
    const minute = 60_000
    let requests = 0
    await using endpoint = await startRpcLiar(place.chain.url, ({ method }) => {
      if (method === 'eth_call') requests++
      return undefined
    })
    await place.chain.miner.increaseTime({ seconds: 3 * 86_400 })
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    clock.ms += 3 * 86_400_000
    const indexer = follow({ rpcUrls: [endpoint.url] })
    expect(await indexer.round()).toMatchObject({ credited: 0 })
    const countRetries = async (times: number, everyMs: number) => {
      let retries = 0
      for (let i = 0; i < times; i++) {
        clock.ms += everyMs
        const before = requests
        await indexer.round()
        if (requests > before) retries++
      }
      return retries
    }
    // The first at once, the others after 10, 20, 40, 80, 160, 320 and 640 seconds or the next minute.
    expect(await countRetries(30, minute)).toBe(8)
    await countRetries(4, 60 * minute)
    expect(await countRetries(5, 60 * minute)).toBe(5)
    await place.chain.miner.increaseTime({ seconds: 60 })
    await place.pushPrice(1000_00000000n)
    clock.ms += 60 * minute
    expect(await indexer.round()).toMatchObject({ credited: 1 })
  })

  test('counts at the best price of the ten minutes before, so that a quote buys its size', async () => {
    const { place, follow, rows } = subject()
    await place.pushPrice(1500_00000000n)
    await place.chain.miner.increaseTime({ seconds: 300 })
    await place.pushPrice(1000_00000000n)
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    await follow().round()
    // The first round is 2,000 dollars, and it also applied within the ten minutes.
    expect(await rows()).toMatchObject([{ price: '200000000000' }])
    await place.chain.miner.increaseTime({ seconds: 700 })
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    await follow().round()
    expect((await rows()).at(-1)).toMatchObject({ price: '100000000000', bytes: 256 * MIB })
  })

  test('does not use a round that was stale before the ten minutes began', async () => {
    const { place, follow, rows } = subject()
    await place.chain.miner.increaseTime({ seconds: 3 * 86_400 })
    await place.pushPrice(1000_00000000n)
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    await follow().round()
    expect(await rows()).toMatchObject([{ state: 'credited', price: '100000000000' }])
  })

  test('opens an account without the free allowance, which is due at the sign-in', async () => {
    const { place, db, follow, limitOf, expectBooksRight } = subject()
    await place.payFor(place.alice, place.bob.account.address, 10n ** 12n)
    await place.mine(2)
    const indexer = follow()
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    const address = place.bob.account.address.toLowerCase()
    const readAccount = () =>
      db.read.selectFrom('account').selectAll().where('address', '=', address).executeTakeFirstOrThrow()
    const bought = await limitOf(address)
    expect(await readAccount()).toMatchObject({ data_limit_bytes: bought, free_bytes: null })
    const { config } = indexer.context
    expect(await db.write((trx) => openAccount(trx, address, { config, now: 1 }))).toBe('opened')
    expect(await readAccount()).toMatchObject({ data_limit_bytes: (bought ?? 0) + config.freeBytes })
    await expectBooksRight()
  })

  test('in an unconfigured token, of dust, or beyond any storage, is recorded and buys nothing', async () => {
    const { place, follow, rows, limitOf } = subject()
    await place.payToken(place.alice, 'dai', 1n)
    await place.payToken(place.alice, 'usdt', 5n)
    // A unit more than a PiB costs.
    await place.payToken(place.alice, 'usdc', 4n * 2n ** 20n * 1_000_000n + 1n)
    await place.mine(2)
    const { usdc, dai } = place.tokens
    await follow({ tokens: { usdc: { address: usdc, decimals: 6 }, dai: { address: dai, decimals: 18 } } }).round()
    expect(await rows()).toMatchObject([
      { state: 'refused', coin: 'dai', reason: expect.stringContaining('too small') },
      { state: 'refused', coin: '', reason: expect.stringContaining('not accepted') },
      { state: 'refused', coin: 'usdc', reason: expect.stringContaining('large') },
    ])
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
  })
})
