// Random payments by three wallets in all coins, with reorganisations and two competing followers that restart at
// random: at the end the ledger equals the chain. CAIRN_TEST_PAYMENTS sets the number, CAIRN_TEST_SEED repeats a run.
import { paymentsAbi } from '@cairn/contracts'
import { bytesForUnits, GIB } from '@cairn/protocol'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { type GetContractEventsReturnType, type Hex, maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../services/storage/src/config.ts'
import { openDatabase } from '../../services/storage/src/db/database.ts'
import { createNetworkIndexer } from '../../services/storage/src/payments/index-network.ts'
import { type PaymentChain, startPaymentChain } from '../../services/storage/src/payments/payment-chain.fixture.ts'
import { openPaymentContext } from '../../services/storage/src/payments/payment-context.fixture.ts'
import { createPrices } from '../../services/storage/src/payments/prices.ts'

const wanted = Number(process.env['CAIRN_TEST_PAYMENTS'] ?? 300)
const seed = Number(process.env['CAIRN_TEST_SEED'] ?? Date.now() % 2 ** 31)
const finality = 6
const free = GIB
let place: PaymentChain
let postgres: PostgresFixture

beforeAll(async () => {
  ;[place, postgres] = await Promise.all([startPaymentChain(), startPostgres()])
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await postgres?.stop()
})

/** A small seeded generator, so that a run can be repeated (mulberry32). */
function createRandom(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

test(`${wanted} random payments: every final one is credited once, none twice, none lost`, async () => {
  console.log(`seed ${seed}: repeat with CAIRN_TEST_SEED=${seed}`)
  const random = createRandom(seed)
  const { chain, tokens, payments } = place
  const url = await postgres.createDatabase()
  const config = readConfig({
    CAIRN_PAYMENTS: place.settings({ finality: { blocks: finality }, maxRange: 17 }),
    CAIRN_FREE_BYTES: String(free),
  })
  const [network] = config.payments.networks
  if (network === undefined) throw new Error('there is no network')
  await using one = await openDatabase({ kind: 'postgres', url })
  await using two = await openDatabase({ kind: 'postgres', url })
  const begin = (db: typeof one) => {
    const context = openPaymentContext(db, config)
    return createNetworkIndexer({
      context,
      network,
      prices: createPrices(context, config.payments.prices),
      requireLease: async () => {},
    })
  }
  const followers = [begin(one), begin(two)]
  const faults = new Map<string, number>()
  const follow = async () => {
    const done = await Promise.allSettled(followers.map((follower) => follower.round()))
    for (const result of done) {
      if (result.status === 'fulfilled') continue
      const reason = String(result.reason)
      faults.set(reason, (faults.get(reason) ?? 0) + 1)
    }
  }

  const wallets = chain.wallets.slice(1)
  const approve = parseAbi(['function approve(address spender, uint256 value)'])
  for (const wallet of wallets) {
    for (const address of Object.values(tokens)) {
      const [owner] = chain.wallets
      const mint = parseAbi(['function mint(address to, uint256 value)'])
      const hashes = [
        await owner.writeContract({
          address,
          abi: mint,
          functionName: 'mint',
          args: [wallet.account.address, 10n ** 26n],
        }),
        await wallet.writeContract({ address, abi: approve, functionName: 'approve', args: [payments, maxUint256] }),
      ]
      for (const hash of hashes) await chain.reader.waitForTransactionReceipt({ hash })
    }
  }
  // No reorganisation reaches the balances and approvals.
  await chain.miner.mine({ blocks: finality })
  await chain.miner.setAutomine(false)
  const fees = { gas: 200_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n }
  const sendOne = async (who: (typeof wallets)[number], nonce: number): Promise<void> => {
    const coins = ['native', 'for', 'usdc', 'usdt', 'dai'] as const
    const coin = coins[random(coins.length)] ?? 'native'
    const common = { ...fees, nonce }
    const value = BigInt(random(1_000_000) + 1) * 10n ** 10n
    const contract = { address: payments, abi: paymentsAbi, ...common } as const
    if (coin === 'native') await who.sendTransaction({ to: payments, value, ...common })
    else if (coin === 'for') {
      const other = wallets[random(wallets.length)]?.account.address ?? who.account.address
      await who.writeContract({ ...contract, functionName: 'payFor', args: [other], value })
    } else {
      const units = coin === 'dai' ? value * 10_000n : BigInt(random(10_000_000) + 1)
      await who.writeContract({ ...contract, functionName: 'receiveToken', args: [units, tokens[coin]] })
    }
  }

  const sendRound = async (minCount: number): Promise<number> => {
    let count = 0
    for (const wallet of wallets) {
      const first = await chain.reader.getTransactionCount({ address: wallet.account.address })
      const own = minCount + random(Math.max(2, Math.min(30, wanted / 20)))
      for (let i = 0; i < own; i++) await sendOne(wallet, first + i)
      count += own
    }
    await chain.miner.mine({ blocks: 1 })
    return count
  }

  let sent = 0
  while (sent < wanted) {
    sent += await sendRound(0)
    if (random(4) === 0) {
      // Removes some of the newest blocks; some transactions of the last one are mined again, in another block.
      const head = await chain.reader.getBlock({ includeTransactions: false })
      const depth = 1 + random(finality - 1)
      const raws: [Hex, number][] = []
      for (const hash of head.transactions) {
        if (random(3) === 0 || depth > 1) break
        raws.push([(await chain.anvil.request('eth_getRawTransactionByHash', [hash])) as Hex, random(depth)])
      }
      await chain.anvil.request('anvil_reorg', [depth, raws])
    }
    if (random(3) > 0) await follow()
    if (random(10) === 0) followers[0] = begin(one)
    if (random(10) === 0) followers[1] = begin(two)
  }
  // However many the reorganisations dropped, this round stays.
  const kept = await sendRound(1)
  await chain.miner.mine({ blocks: finality + 1 })
  const isDone = async () => {
    await follow()
    const cursor = await one.read.selectFrom('chain_cursor').selectAll().executeTakeFirst()
    return (cursor?.final_block ?? 0) >= Number(await chain.reader.getBlockNumber({ cacheTime: 0 })) - finality
  }
  for (let i = 0; i < 1000 && !(await isDone()); i++);

  const about = { address: payments, abi: paymentsAbi, eventName: 'ReceivedPayment' } as const
  const events: GetContractEventsReturnType<typeof paymentsAbi, 'ReceivedPayment'> = []
  const last = await chain.reader.getBlockNumber({ cacheTime: 0 })
  for (let from = 0n; from <= last; from += 50n) {
    events.push(...(await chain.reader.getContractEvents({ ...about, fromBlock: from, toBlock: from + 49n })))
  }
  const due = new Map<string, bigint>()
  const places = new Map<string, number>()
  for (const { args, transactionHash } of events) {
    const { sender = '0x', tokenAddress = '0x', amount = 0n, data = '0x' } = args
    const account = data.length === 66 ? `0x${data.slice(-40)}` : sender.toLowerCase()
    const token = tokenAddress.toLowerCase()
    const bytes =
      token === `0x${'0'.repeat(40)}`
        ? bytesForUnits(amount, 18, { price: 2000_00000000n, decimals: 8 })
        : bytesForUnits(amount, token === tokens.dai.toLowerCase() ? 18 : 6)
    due.set(account, (due.get(account) ?? 0n) + bytes)
    places.set(transactionHash, (places.get(transactionHash) ?? 0) + 1)
  }
  const rows = await one.read.selectFrom('payment').selectAll().execute()
  const counted = rows.filter(({ state }) => state === 'credited' || state === 'refused')
  console.log(`${events.length} on the chain, ${rows.length - counted.length} dropped`, Object.fromEntries(faults))
  expect(counted).toHaveLength(events.length)
  expect(new Set(counted.map((row) => `${row.tx_hash}:${row.ordinal}`)).size).toBe(events.length)
  for (const [hash, count] of places) expect(counted.filter((row) => row.tx_hash === hash)).toHaveLength(count)
  expect(rows.filter(({ state }) => !['credited', 'refused', 'orphaned'].includes(state))).toEqual([])
  const accounts = await one.read.selectFrom('account').select(['address', 'data_limit_bytes']).execute()
  const limits = accounts.map((row): [string, bigint] => [row.address, BigInt(row.data_limit_bytes)])
  expect(Object.fromEntries(limits)).toEqual(Object.fromEntries(due))
  const entries = await one.read
    .selectFrom('ledger_entry')
    .select(['address', 'bytes'])
    .where('kind', '=', 'payment')
    .execute()
  for (const [address, bytes] of due) {
    const own = entries.filter((entry) => entry.address === address).reduce((sum, entry) => sum + entry.bytes, 0)
    expect(BigInt(own)).toBe(bytes)
  }
  expect(events.length).toBeGreaterThanOrEqual(kept)
}, 1_200_000)
