// Every payment is found and credited once: after pauses, by several replicas, on several networks.
import { paymentsAbi } from '@cairn/contracts'
import { paymentsBytecode } from '@cairn/contracts/deploy'
import { bytesForUnits, MIB, priceInUnits } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { describePayments } from './describe-payments.fixture.ts'
import type { IndexRound } from './index-network.ts'
import { startPaymentChain, startRpcLiar } from './payment-chain.fixture.ts'

describePayments('a payment on %s', (subject) => {
  test('is shown at once and credited once, when its block is final', async () => {
    const { place, follow, rows, limitOf, expectBooksRight } = subject()
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

  test('is found after a pause of many blocks in ranges, which shrink if the endpoint demands it', async () => {
    const { place, follow, expectBooksRight } = subject()
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

  test('is found without a query for more blocks than the settings allow', async () => {
    const { place, follow } = subject()
    let widest = 0
    await using endpoint = await startRpcLiar(place.chain.url, ({ method, params }) => {
      const [filter] = params as [{ fromBlock: string; toBlock: string }]
      if (method === 'eth_getLogs') widest = Math.max(widest, Number(filter.toBlock) - Number(filter.fromBlock) + 1)
      return undefined
    })
    for (const maxRange of [1, 2, 10, 60]) {
      await place.payToken(place.alice, 'usdc', 1_000_000n)
      await place.mine(maxRange + 12)
      const indexer = follow({ rpcUrls: [endpoint.url], maxRange })
      widest = 0
      let credited = 0
      for (let round: IndexRound | undefined; round === undefined || round.isBehind; ) {
        round = await indexer.round()
        credited += round.credited
      }
      expect([maxRange, widest, credited]).toEqual([maxRange, maxRange, 1])
    }
  })

  test('is credited once although two replicas race for many at once', async () => {
    const { place, follow, states, limitOf, expectBooksRight } = subject()
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
    const { place, db, follow, rows } = subject()
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

  test('costs one request per round while the chain has no new block, and is credited one round after it', async () => {
    const { place, follow, clock, db } = subject()
    const asked: string[] = []
    await using endpoint = await startRpcLiar(place.chain.url, ({ method }) => {
      asked.push(method)
      return undefined
    })
    const indexer = follow({ rpcUrls: [endpoint.url] })
    const checkedAt = async () =>
      (await db.read.selectFrom('chain_cursor').select('checked_at').executeTakeFirstOrThrow()).checked_at
    await place.mine(3)
    await indexer.round()
    const first = await checkedAt()
    asked.length = 0
    clock.ms += 29_000
    expect(await indexer.round()).toEqual({ blocks: 0, credited: 0, seen: 0, isBehind: false })
    expect(asked).toEqual(['eth_getBlockByNumber'])
    clock.ms += 1000
    await indexer.round()
    expect(asked.length).toBeGreaterThan(2)
    expect(await checkedAt()).toBe(first + 30_000)
    await place.pay(place.alice, 10n ** 15n)
    expect(await indexer.round()).toMatchObject({ seen: 1 })
    expect(await indexer.round()).toMatchObject({ seen: 0, blocks: 0 })
    await place.mine(2)
    expect(await indexer.round()).toMatchObject({ credited: 1 })
  })

  test('is final by the tag of the chain', async () => {
    const { place, follow } = subject()
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

  test('to another contract is found from the start block on, however far the first one was read', async () => {
    const { place, follow } = subject()
    const [owner] = place.chain.wallets
    const other = await place.chain.deploy(paymentsAbi, paymentsBytecode, [owner.account.address])
    const hash = await place.alice.sendTransaction({ to: other, value: 10n ** 15n })
    await place.chain.reader.waitForTransactionReceipt({ hash })
    await place.mine(2)
    expect(await follow().round()).toMatchObject({ credited: 0, isBehind: false })
    expect(await follow({ contract: other }).round()).toMatchObject({ credited: 1 })
  })

  test('is credited although its transaction has too many other logs to read the receipt, as are those of others', async () => {
    const { place, follow, states, expectBooksRight } = subject()
    const hash = await place.payAmongLogs(place.alice, 10n ** 15n, 3_000)
    await place.pay(place.bob, 10n ** 15n)
    await place.mine(2)
    const receipt = await place.chain.reader.getTransactionReceipt({ hash })
    expect(receipt.logs).toHaveLength(3_001)
    expect(await follow().round()).toMatchObject({ credited: 2 })
    expect(await states()).toEqual(['credited', 'credited'])
    await expectBooksRight()
  })

  test('is credited by the logs of its block if the endpoint refuses the receipt, unless they differ', async () => {
    const { place, follow, states, rows } = subject()
    const hash = await place.payTogether(place.alice, [10n ** 15n, 2n * 10n ** 15n])
    await place.mine(2)
    let isOther = true
    await using strict = await startRpcLiar(place.chain.url, ({ method, params }) => {
      if (method === 'eth_getTransactionReceipt') return { error: { code: -32008, message: 'Response is too big' } }
      const [filter] = params as [{ blockHash?: string }]
      return isOther && method === 'eth_getLogs' && filter.blockHash !== undefined ? { result: [] } : undefined
    })
    const indexer = follow({ rpcUrls: [strict.url] })
    await expect(indexer.round()).rejects.toThrow(`The receipt of transaction ${hash} does not contain the payments`)
    expect(await rows()).toEqual([])
    isOther = false
    expect(await indexer.round()).toMatchObject({ credited: 2 })
    expect(await states()).toEqual(['credited', 'credited'])
  })

  test('is credited with others of its block if their receipts are refused, and their logs are read once', async () => {
    const { place, follow, expectBooksRight } = subject()
    await place.chain.miner.setAutomine(false)
    for (let i = 1n; i <= 5n; i++) await place.alice.sendTransaction({ to: place.payments, value: i * 10n ** 15n })
    await place.chain.miner.setAutomine(true)
    await place.mine(3)
    let read = 0
    await using strict = await startRpcLiar(place.chain.url, ({ method, params }) => {
      if (method === 'eth_getTransactionReceipt') return { error: { code: -32008, message: 'Response is too big' } }
      const [filter] = params as [{ blockHash?: string }]
      if (method === 'eth_getLogs' && filter.blockHash !== undefined) read++
      return undefined
    })
    expect(await follow({ rpcUrls: [strict.url] }).round()).toMatchObject({ credited: 5 })
    expect(read).toBe(1)
    await expectBooksRight()
  })

  test('is refused if its account has bought more than can be counted, and those of others are credited', async () => {
    const { place, db, follow, states, limitOf, expectBooksRight } = subject()
    // Almost 2^50 bytes.
    for (let i = 0; i < 5; i++) await place.payToken(place.alice, 'usdc', 4_194_303n * 10n ** 6n)
    const hash = await place.pay(place.bob, 10n ** 15n)
    await place.mine(2)
    expect(await follow().round()).toMatchObject({ credited: 5 })
    expect(await states()).toEqual([...Array.from({ length: 4 }, () => 'credited'), 'refused', 'credited'])
    expect(await limitOf(place.alice.account.address)).toBeGreaterThan(2 ** 51)
    const row = await db.read
      .selectFrom('payment')
      .select('reason_facts')
      .where('state', '=', 'refused')
      .executeTakeFirstOrThrow()
    expect(row.reason_facts).toContain('AMOUNT_TOO_LARGE')
    expect(await db.read.selectFrom('payment').select('state').where('tx_hash', '=', hash).execute()).toEqual([
      { state: 'credited' },
    ])
    await expectBooksRight()
  })

  test('on several networks is indexed with a cursor for each and credits one account', async () => {
    const { place, db, follow, rows, limitOf, expectBooksRight } = subject()
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
})
