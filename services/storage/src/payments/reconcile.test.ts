import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { startPaymentChain, startRpcLiar } from './payment-chain.fixture.ts'
import { reconcile } from './reconcile.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test.each(databaseKinds)('reports matching books, and lists each mismatch without a change: %s', async (kind) => {
  await using place = await startPaymentChain()
  await using storage = await startTestStorage({
    CAIRN_PAYMENTS: place.settings({ finality: { blocks: 0 } }),
    ...(kind === 'postgres' ? { CAIRN_DATABASE_URL: await postgres.createDatabase() } : {}),
  })
  const hash = await place.payToken(place.alice, 'usdc', 1_000_000n)
  await place.payToken(place.alice, 'dai', 10n ** 18n)
  const moved = await place.payToken(place.bob, 'usdt', 1_000_000n)
  await place.pay(place.bob, 10n ** 15n)
  const { db } = storage.context
  const credited = async () =>
    (await db.read.selectFrom('payment').select('id').where('state', '=', 'credited').execute()).length
  await expect.poll(credited).toBe(4)
  const key = await storage.createKey()
  const authorization = `Bearer ${key}`
  for (const text of ['hello', 'world']) {
    const form = new FormData()
    form.append('file', new Blob([text]), 'a.txt')
    await storage.call('/api/v0/add', { method: 'POST', headers: { authorization }, body: form })
  }
  // "hello" in its CID, which is in no pack.
  const pinned = await storage.call('/api/v0/pin/add?arg=bafkqablimvwgy3y', {
    method: 'POST',
    headers: { authorization },
  })
  expect(pinned.status).toBe(200)
  expect(await reconcile(storage.context)).toMatchObject({ findings: [], payments: 4, accounts: 3 })

  const alice = place.alice.account.address.toLowerCase()
  await db.write(async (trx) => {
    await trx.updateTable('account').set({ data_limit_bytes: 7 }).where('address', '=', alice).execute()
    await trx.updateTable('account').set({ data_used_bytes: 99 }).where('data_used_bytes', '>', 0).execute()
    const [first, second] = await trx.selectFrom('upload_pack').selectAll().execute()
    if (first === undefined || second === undefined) throw new Error('two uploads have packs')
    await trx.deleteFrom('upload_pack').where('upload_id', '=', first.upload_id).execute()
    await trx
      .updateTable('pack')
      .set({ state: 'removing', hold: 'abandoned', unreferenced_at: storage.context.clock.now() })
      .where('id', '=', second.pack_id)
      .execute()
    await trx.deleteFrom('ledger_entry').where('cause', 'like', `%${hash}%`).execute()
    await trx.updateTable('ledger_entry').set({ address: alice }).where('cause', 'like', `%${moved}%`).execute()
    await trx.updateTable('payment').set({ units: '5', bytes: 5 }).where('coin', '=', 'dai').execute()
    await trx
      .updateTable('payment')
      .set({ tx_hash: `0x${'1'.repeat(64)}` })
      .where('coin', '=', 'native')
      .execute()
  })
  const { findings } = await reconcile(storage.context)
  expect(findings.map(({ kind }) => kind).sort()).toEqual([
    'credit-without-entry',
    'credit-without-entry',
    'credit-without-entry',
    'credit-without-entry',
    'entry-without-credit',
    'not-in-books',
    'not-on-chain',
    'other-amount',
    'upload-without-pack',
    'upload-without-pack',
    'wrong-limit',
    'wrong-limit',
    'wrong-used',
  ])
  const reports = await db.read.selectFrom('report').select('findings').orderBy('created_at').execute()
  expect(reports.map((report) => report.findings)).toContain(13)
  expect(storage.log.join('')).toContain('reconciliation found differences')
})

test('reports an endpoint that is behind as such, and no payment as missing', async () => {
  await using place = await startPaymentChain()
  let isBehind = false
  await using lagging = await startRpcLiar(place.chain.url, ({ method }) => {
    if (!isBehind || !/^eth_get(BlockByNumber|Logs)$/.test(method)) return undefined
    return { result: method === 'eth_getLogs' ? [] : null }
  })
  await using other = await startRpcLiar(place.chain.url, () => undefined)
  const rpcUrls = [place.chain.url, other.url, lagging.url]
  await using storage = await startTestStorage({
    CAIRN_PAYMENTS: place.settings({ finality: { blocks: 0 }, rpcUrls }),
  })
  await place.payToken(place.alice, 'usdc', 1_000_000n)
  const { db } = storage.context
  const credited = async () =>
    (await db.read.selectFrom('payment').select('id').where('state', '=', 'credited').execute()).length
  await expect.poll(credited).toBe(1)
  isBehind = true
  const { findings } = await reconcile(storage.context)
  expect(findings).toEqual([
    { kind: 'chain-unread', network: 'local', reason: expect.stringContaining('does not have block') },
  ])
})

test('reads ranges of blocks as an endpoint allows them, as following the chain does', async () => {
  await using place = await startPaymentChain()
  let widest = Number.POSITIVE_INFINITY
  await using strict = await startRpcLiar(place.chain.url, ({ method, params }) => {
    const [filter] = params as [{ fromBlock: string; toBlock: string }]
    if (method !== 'eth_getLogs' || Number(filter.toBlock) - Number(filter.fromBlock) < widest) return undefined
    return { error: { code: -32600, message: `You can make eth_getLogs requests with up to a ${widest} block range` } }
  })
  await using storage = await startTestStorage({
    CAIRN_PAYMENTS: place.settings({ finality: { blocks: 0 }, rpcUrls: [strict.url] }),
  })
  const { db } = storage.context
  const credited = async () =>
    (await db.read.selectFrom('payment').select('id').where('state', '=', 'credited').execute()).length
  for (let i = 0; i < 3; i++) {
    await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.mine(20)
  }
  await expect.poll(credited).toBe(3)
  for (const limit of [10, 1]) {
    widest = limit
    const { findings, blocks } = await reconcile(storage.context)
    expect(findings).toEqual([])
    expect(blocks).toBeGreaterThan(60)
  }
  widest = 0
  const { findings } = await reconcile(storage.context)
  expect(findings).toEqual([expect.objectContaining({ kind: 'chain-unread' })])
})
