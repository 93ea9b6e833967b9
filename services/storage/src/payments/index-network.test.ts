import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paymentsAbi } from '@cairn/contracts'
import { bytesForUnits, coinPriceOf, GIB, MIB, oneDollar, priceInUnits } from '@cairn/protocol'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, migrations, openDatabase } from '../db/database.ts'
import { changeOperatorSetting, operatorSettings } from '../ledger/ledger.ts'
import { findPriceOfStorage } from './credit.ts'
import type { IndexRound } from './index-network.ts'
import { type PaymentChain, startPaymentChain, startRpcLiar } from './payment-chain.fixture.ts'
import { openBooks, openFollower } from './payment-context.fixture.ts'
import { describeHowToPay } from './payments.ts'

const free = 5 * GIB
let place: PaymentChain
let snapshot: `0x${string}`
let postgres: PostgresFixture
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-payments-'))
  ;[place, postgres] = await Promise.all([startPaymentChain(), startPostgres(migrations)])
  snapshot = await place.chain.miner.snapshot()
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

let count = 0
const kinds = {
  sqlite: () => openDatabase({ kind: 'sqlite', path: join(folder, `${count++}.sqlite`) }),
  postgres: async () => openDatabase({ kind: 'postgres', url: await postgres.createDatabase() }),
}

describe.each(['sqlite', 'postgres'] as const)('a payment on %s', (kind) => {
  let db: Database
  let clock: { ms: number; now(): number }
  beforeEach(async () => {
    try {
      await place.chain.miner.revert({ id: snapshot })
    } catch {
      // A reorganisation removed the snapshot with its blocks.
      await place[Symbol.asyncDispose]()
      place = await startPaymentChain()
    }
    snapshot = await place.chain.miner.snapshot()
    db = await kinds[kind]()
    clock = { ms: Date.now(), now: () => clock.ms }
  })
  afterEach(() => db.close())

  /** A follower with its own settings, as on a replica. */
  function follow(network: Record<string, unknown> = {}, requireLease?: () => Promise<void>) {
    const environment = {
      CAIRN_HOME: folder,
      CAIRN_PAYMENTS: place.settings(network),
      CAIRN_FREE_BYTES: String(free),
    }
    return openFollower(db, clock, environment, requireLease)
  }
  const limitOf = (address: string) => openBooks(db, free).limitOf(address)
  const rows = () => openBooks(db, free).rows()
  const states = () => openBooks(db, free).states()
  const expectBooksRight = () => openBooks(db, free).expectRight()

  test('is shown at once and credited once, when its block is final', async () => {
    const indexer = follow()
    const price = priceInUnits(3 * MIB, 6)
    await place.payToken(place.alice, 'usdc', price)
    expect(await indexer.round()).toMatchObject({ credited: 0, seen: 1, isBehind: false })
    expect(await rows()).toMatchObject([{ state: 'seen', coin: 'usdc', units: price.toString(), bytes: null }])
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
    await place.mine(2)
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    const bought = Number(bytesForUnits(price, 6))
    expect(bought).toBeGreaterThanOrEqual(3 * MIB)
    expect(await limitOf(place.alice.account.address)).toBe(bought)
    for (let i = 0; i < 3; i++) expect((await indexer.round()).credited).toBe(0)
    await place.mine(5)
    await follow().round()
    expect(await limitOf(place.alice.account.address)).toBe(bought)
    await expectBooksRight()
  })

  test('buys at the price that was shown in the ten minutes before, then at the price that the operator set', async () => {
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
    // Set in the second of the block, whose time has no milliseconds.
    const blockTime = Number((await place.chain.reader.getBlock()).timestamp) * 1000 + 3_600_000
    await set('1', blockTime + 999)
    expect(await findPriceOfStorage(db.read, blockTime)).toEqual(coinPriceOf(1))
    expect(await findPriceOfStorage(db.read, blockTime - 1000)).toEqual(coinPriceOf(2))
  })

  test('is accepted in each coin, for the payer and for others, many in the time of one transaction', async () => {
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

  test('has its own position in a transaction with several, wherever it is mined', async () => {
    const payTwice = async () => {
      // Code that pays 3 and then 4 thousandths of a coin, run as a contract's constructor: both are events of one
      // transaction.
      const call = (value: bigint) =>
        `600060006000600067${(value * 10n ** 15n).toString(16).padStart(16, '0')}73${place.payments.slice(2)}5af150`
      const hash = await place.alice.sendTransaction({
        data: `0x${call(3n)}${call(4n)}00`,
        value: 7n * 10n ** 15n,
        gas: 300_000n,
      })
      await place.chain.reader.waitForTransactionReceipt({ hash })
      return hash
    }
    const indexer = follow({ finality: { blocks: 10 } })
    const hash = await payTwice()
    await indexer.round()
    const raw = await place.chain.anvil.request('eth_getRawTransactionByHash', [hash])
    // Mined again after another payment, so its log indexes differ.
    const other = await place.bob.prepareTransactionRequest({ to: place.payments, value: 10n ** 15n, gas: 100_000n })
    const signed = await place.bob.signTransaction(other)
    await place.chain.anvil.request('anvil_reorg', [
      1,
      [
        [signed, 0],
        [raw, 0],
      ],
    ])
    const logs = await place.chain.reader.getLogs({ address: place.payments, fromBlock: 'latest' })
    expect(logs).toHaveLength(3)
    await place.mine(11)
    await indexer.round()
    await indexer.round()
    const found = (await rows()).filter((row) => row.tx_hash === hash)
    expect(found.map(({ ordinal, units, state }) => [ordinal, units, state])).toEqual([
      [0, '3000000000000000', 'credited'],
      [1, '4000000000000000', 'credited'],
    ])
    expect((await rows()).filter(({ state }) => state === 'credited')).toHaveLength(3)
    await expectBooksRight()
  })

  test('that a reorganisation drops is never credited; one that it moves is credited once', async () => {
    // The first payment costs more gas; no account's limit may depend on which payment that is.
    await place.payToken(place.bob, 'usdc', 1n)
    const indexer = follow({ finality: { blocks: 10 } })
    const first = await place.payToken(place.alice, 'usdc', 1_000_000n)
    const second = await place.pay(place.bob, 10n ** 15n)
    await indexer.round()
    expect(await states()).toEqual(['seen', 'seen', 'seen'])
    // Both blocks are removed; only the second payment is mined again, after others, in another block.
    const raw = await place.chain.reader.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [second] as never,
    })
    await place.chain.anvil.request('anvil_reorg', [2, [[raw, 1]]])
    await indexer.round()
    const after = await rows()
    expect(after.find(({ tx_hash }) => tx_hash === first)?.state).toBe('orphaned')
    expect(after.find(({ tx_hash }) => tx_hash === second)?.state).toBe('seen')
    await place.mine(11)
    await indexer.round()
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
    expect(await limitOf(place.bob.account.address)).toBeGreaterThan(0)
    expect((await rows()).filter(({ state }) => state === 'credited')).toHaveLength(2)
    await expectBooksRight()
  })

  test.each([1, 5, 50])('survives a reorganisation of %i blocks, correct at every step', async (depth) => {
    const indexer = follow({ finality: { blocks: 60 } })
    for (let i = 0; i < 3; i++) await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.mine(Math.max(0, depth - 6))
    await indexer.round()
    await place.chain.anvil.request('anvil_reorg', [depth, []])
    await indexer.round()
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
    const there = await place.chain.reader.getContractEvents({
      address: place.payments,
      abi: paymentsAbi,
      eventName: 'ReceivedPayment',
      fromBlock: 0n,
    })
    expect((await states()).filter((state) => state === 'seen')).toHaveLength(there.length)
    await place.mine(61)
    await indexer.round()
    expect(await limitOf(place.alice.account.address)).toBe(
      there.length === 0 ? undefined : there.length * Number(bytesForUnits(1_000_000n, 6)),
    )
    await expectBooksRight()
  })

  test('is found after a pause of many blocks in ranges, which shrink if the endpoint demands it', async () => {
    for (let i = 0; i < 6; i++) {
      await place.payToken(place.alice, 'usdc', 1_000_000n)
      await place.mine(20)
    }
    let refused = 0
    await using picky = await startRpcLiar(place.chain.url, ({ method, params }) => {
      const [filter] = params as [{ fromBlock: string; toBlock: string }]
      if (method !== 'eth_getLogs' || Number(filter.toBlock) - Number(filter.fromBlock) < 16) return undefined
      refused++
      return { error: { code: -32005, message: 'block range is too wide' } }
    })
    const indexer = follow({ rpcUrls: [picky.url], maxRange: 50 })
    let credited = 0
    for (let round: IndexRound | undefined; round === undefined || round.isBehind; ) {
      round = await indexer.round()
      credited += round.credited
    }
    expect(credited).toBe(6)
    expect(refused).toBeGreaterThan(0)
    await expectBooksRight()
  })

  test('is credited once although two replicas race for many at once', async () => {
    for (let i = 0; i < 5; i++) await place.pay(i % 2 === 0 ? place.alice : place.bob, 10n ** 15n)
    await place.mine(2)
    const replicas = [follow(), follow(), follow()]
    const done = await Promise.allSettled(replicas.map((replica) => replica.round()))
    expect(done.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const replica of replicas) await replica.round()
    expect(await states()).toEqual(Array.from({ length: 5 }, () => 'credited'))
    expect(await limitOf(place.alice.account.address)).toBe(3 * 2 * 256 * MIB)
    await expectBooksRight()
  })

  test('is not written by a replica whose lease has expired', async () => {
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    const late = follow({}, async () => {
      throw new Error('the lease is over')
    })
    await expect(late.round()).rejects.toThrow('lease')
    expect(await rows()).toEqual([])
    expect(await db.read.selectFrom('chain_cursor').selectAll().execute()).toEqual([])
    expect((await follow().round()).credited).toBe(1)
  })

  test('in the native coin waits without a fresh price, and is credited with the first that arrives', async () => {
    const day = 86_400
    await place.chain.miner.increaseTime({ seconds: 3 * day })
    await place.pay(place.alice, 10n ** 15n)
    await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.mine(2)
    clock.ms += 3 * day * 1000
    const indexer = follow()
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(await rows()).toMatchObject([
      { state: 'unpriced', reason: expect.stringContaining('ETH') },
      { state: 'credited' },
    ])
    await place.chain.miner.increaseTime({ seconds: 60 })
    await place.pushPrice(1000_00000000n)
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    const [waited] = await rows()
    expect(waited).toMatchObject({ state: 'credited', reason: null, price: '100000000000', bytes: 256 * MIB })
    await expectBooksRight()
  })

  test('counts at the best price of the ten minutes before, so that a quote buys its size', async () => {
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
    await place.chain.miner.increaseTime({ seconds: 3 * 86_400 })
    await place.pushPrice(1000_00000000n)
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(2)
    await follow().round()
    expect(await rows()).toMatchObject([{ state: 'credited', price: '100000000000' }])
  })

  test('in an unconfigured token, or of dust, is recorded and buys nothing', async () => {
    await place.payToken(place.alice, 'dai', 1n)
    await place.payToken(place.alice, 'usdt', 5n)
    await place.mine(2)
    const { usdc, dai } = place.tokens
    await follow({ tokens: { usdc: { address: usdc, decimals: 6 }, dai: { address: dai, decimals: 18 } } }).round()
    expect(await rows()).toMatchObject([
      { state: 'refused', coin: 'dai', reason: expect.stringContaining('too small') },
      { state: 'refused', coin: '', reason: expect.stringContaining('not accepted') },
    ])
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
  })

  test('is final by the tag of the chain', async () => {
    await place.pay(place.alice, 10n ** 15n)
    let final = '0x0'
    await using tagged = await startRpcLiar(place.chain.url, ({ params }) => {
      if (params[0] === 'finalized') params[0] = final
      return undefined
    })
    const indexer = follow({ rpcUrls: [tagged.url], finality: { tag: 'finalized' } })
    expect(await indexer.round()).toMatchObject({ credited: 0, seen: 1 })
    final = `0x${(await place.chain.reader.getBlockNumber()).toString(16)}`
    expect(await indexer.round()).toMatchObject({ credited: 1 })
  })

  test('on several networks is indexed with a cursor for each and credits one account', async () => {
    await using second = await startPaymentChain(['--chain-id', '4242'])
    await place.pay(place.alice, 10n ** 15n)
    await second.pay(second.alice, 10n ** 15n)
    await place.mine(2)
    await second.mine(2)
    const one = follow()
    const two = follow({ chainId: 4242, rpcUrls: [second.chain.url], contract: second.payments })
    await Promise.all([one.round(), two.round()])
    expect((await rows()).map(({ chain_id, state }) => [chain_id, state]).sort()).toEqual([
      [31337, 'credited'],
      [4242, 'credited'],
    ])
    expect(await limitOf(place.alice.account.address)).toBe(2 * 2 * 256 * MIB)
    expect(await db.read.selectFrom('chain_cursor').select('chain_id').execute()).toHaveLength(2)
    await expectBooksRight()
  })

  describe('an endpoint', () => {
    const html = '<html>bad gateway</html>'
    test.each([
      ['that is down', undefined],
      [
        'of another chain',
        ({ method }: { method: string }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined),
      ],
      ['that limits rates', () => ({ error: { code: 429, message: 'too many requests' } })],
      [
        'that answers nonsense',
        ({ method }: { method: string }) => (method === 'eth_getLogs' ? { result: [{ nonsense: true }] } : undefined),
      ],
      ['that answers HTML', 'html'],
      ['that answers events of others', 'foreign'],
      ['that is behind what was read', 'behind'],
    ] as const)('%s changes nothing; everything is indexed once it is back', async (_what, fault) => {
      const before = follow()
      await place.mine(3)
      await before.round()
      const cursor = () => db.read.selectFrom('chain_cursor').select(['final_block', 'final_hash']).execute()
      const was = await cursor()
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      await using liar = await startRpcLiar(place.chain.url, (question, response) => {
        if (fault === 'html') response.end(html)
        else if (fault === 'foreign' && question.method === 'eth_getLogs') {
          const topic = `0x${'1'.repeat(64)}`
          const log = {
            address: `0x${'9'.repeat(40)}`,
            topics: [topic, topic, topic],
            data: '0x',
            blockNumber: '0x1',
            blockHash: topic,
            transactionHash: topic,
            logIndex: '0x0',
          }
          return { result: [log] }
        } else if (fault === 'behind' && question.method === 'eth_getBlockByNumber') {
          return { result: null }
        } else if (typeof fault === 'function') return fault(question)
        return undefined
      })
      const url = fault === undefined ? 'http://127.0.0.1:9' : liar.url
      const indexer = follow({ rpcUrls: [url], finality: { blocks: 2 } })
      await expect(indexer.round()).rejects.toMatchObject({ name: expect.stringMatching(/CairnError|RpcRefusal/) })
      expect(await cursor()).toEqual(was)
      expect(await limitOf(place.alice.account.address)).toBeUndefined()
      const [{ fault: noted } = { fault: null }] = await db.read.selectFrom('chain_cursor').select('fault').execute()
      expect(noted).not.toBeNull()
      expect((await follow().round()).credited).toBe(1)
      const [{ fault: gone } = { fault: '' }] = await db.read.selectFrom('chain_cursor').select('fault').execute()
      expect(gone).toBeNull()
      await expectBooksRight()
    })

    test('that lags behind its head while events are read loses nothing', async () => {
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      let asked = 0
      await using lagging = await startRpcLiar(place.chain.url, ({ method, params }) => {
        // Behind a load balancer: events from a node that has not seen them, and from another without that block.
        if (method === 'eth_getLogs' && asked === 0) return { result: [] }
        if (method === 'eth_getBlockByNumber' && params[0] !== 'latest' && asked++ === 2) return { result: null }
        return undefined
      })
      const indexer = follow({ rpcUrls: [lagging.url] })
      for (let i = 0; i < 3; i++) await indexer.round().catch(() => undefined)
      expect(await limitOf(place.alice.account.address)).toBeGreaterThan(0)
    })

    test('that omitted events of a visible block is asked again: they are credited a little later', async () => {
      await place.pay(place.alice, 10n ** 15n)
      await place.pay(place.bob, 10n ** 15n)
      await place.mine(3)
      let omitsLogs = true
      await using omitting = await startRpcLiar(place.chain.url, ({ method }) =>
        omitsLogs && method === 'eth_getLogs' ? { result: [] } : undefined,
      )
      const indexer = follow({ rpcUrls: [omitting.url] })
      expect((await indexer.round()).credited).toBe(0)
      omitsLogs = false
      expect((await indexer.round()).credited).toBe(0)
      await place.mine(1)
      expect((await indexer.round()).credited).toBe(2)
      await place.mine(1)
      expect((await indexer.round()).credited).toBe(0)
      await expectBooksRight()
    })

    test('that answers one block at a time is followed all the same', async () => {
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(6)
      await using strict = await startRpcLiar(place.chain.url, ({ method, params }) => {
        const [filter] = params as [{ fromBlock: string; toBlock: string }]
        const isOne = method !== 'eth_getLogs' || filter.fromBlock === filter.toBlock
        return isOne ? undefined : { error: { code: -32005, message: 'one block only' } }
      })
      const indexer = follow({ rpcUrls: [strict.url], maxRange: 16 })
      let credited = 0
      for (let i = 0; i < 200; i++) {
        const round = await indexer.round()
        credited += round.credited
        if (!round.isBehind && i > 10) break
      }
      expect(credited).toBe(1)
    })

    test('that contradicts another stops all crediting; two that agree continue', async () => {
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      await using liar = await startRpcLiar(place.chain.url, ({ method, params }) => {
        if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return undefined
        return { result: { number: params[0], hash: `0x${'7'.repeat(64)}`, timestamp: '0x1' } }
      })
      const torn = follow({ rpcUrls: [place.chain.url, liar.url] })
      await expect(torn.round()).rejects.toThrow('disagree')
      expect(await rows()).toEqual([])
      await using honest = await startRpcLiar(place.chain.url, () => undefined)
      const two = follow({ rpcUrls: [place.chain.url, honest.url] })
      expect((await two.round()).credited).toBe(1)
    })

    test('whose final blocks change stops all crediting, and reports it', async () => {
      await place.mine(4)
      const indexer = follow()
      await indexer.round()
      await place.chain.anvil.request('anvil_reorg', [5, []])
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      await expect(indexer.round()).rejects.toThrow('of local changed')
      expect(await limitOf(place.alice.account.address)).toBeUndefined()
    })
  })
})
