// External dependencies of the service, as readiness, metrics and the log show them.
import { expect, test } from 'vitest'
import { startPaymentChain, startRpcLiar } from './payments/payment-chain.fixture.ts'
import { startTestStorage, type TestStorage } from './start-test-storage.fixture.ts'

/** Nothing listens there; the path represents a provider's key. */
const dead = 'http://127.0.0.1:9/secret-of-the-operator'

type Dependency = {
  kind: string
  name: string
  endpoint?: number
  state: string
  reason?: string
  lastSuccessAt?: number
}

async function readDependencies(storage: TestStorage) {
  const { status, json } = await storage.call('/readyz')
  const { isDegraded, dependencies } = json as { isDegraded: boolean; dependencies: Dependency[] }
  const find = (kind: string, endpoint?: number) =>
    dependencies.find((one) => one.kind === kind && one.endpoint === endpoint)
  return { status, isDegraded, find }
}

test('an offline chain, price feed or provider is visible at once; the service stays ready', async () => {
  await using storage = await startTestStorage({
    CAIRN_PAYMENTS: JSON.stringify({
      networks: {
        polygon: { rpcUrls: [dead], contract: `0x${'1'.repeat(40)}`, pollMs: 50 },
      },
      prices: { MATIC: { feeds: [{ network: 'polygon', address: `0x${'2'.repeat(40)}`, heartbeatSeconds: 60 }] } },
    }),
    CAIRN_PROVIDERS: JSON.stringify([{ kind: 'cairn', name: 'first', url: dead, key: 'a key of sixteen or more' }]),
  })
  const failures = async () => {
    const { find } = await readDependencies(storage)
    return [find('chain'), find('endpoint', 0), find('feed'), find('feed', 0), find('provider')].map(
      (one) => one?.state,
    )
  }
  await expect.poll(failures).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'])
  const { status, isDegraded, find } = await readDependencies(storage)
  expect([status, isDegraded]).toEqual([200, true])
  expect(find('chain')).toMatchObject({
    name: 'polygon',
    reason: 'An endpoint of the chain is unreachable',
  })
  // Also for users, although no block was ever read.
  expect((await storage.call(`/api/payments/polygon/0x${'3'.repeat(64)}`)).json).toMatchObject({
    payments: [],
    checkedAt: null,
    fault: 'An endpoint of the chain is unreachable',
    faultFacts: { code: 'CHAIN_NOT_READ' },
  })
  expect(find('provider')).toMatchObject({ name: 'first', reason: 'The storage provider first is unreachable' })

  const figures = await storage.context.metrics.registry.metrics()
  expect(figures).toContain('cairn_dependency_up{kind="chain",name="polygon",endpoint=""} 0')
  expect(figures).toContain('cairn_dependency_up{kind="endpoint",name="polygon",endpoint="0"} 0')
  expect(figures).toContain('cairn_dependency_up{kind="provider",name="first",endpoint=""} 0')

  // After many rounds there is still one line per dependency, without a stack.
  const rounds = async () => {
    const { values } = await storage.context.metrics.registry.getSingleMetric('cairn_dependency_failures_total')!.get()
    return values.find(({ labels }) => labels['kind'] === 'chain')?.value
  }
  await expect.poll(rounds).toBeGreaterThan(20)
  const lines = storage.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
  expect(lines.map(({ msg }) => msg).sort()).toEqual([
    'chain endpoint unavailable',
    'chain unavailable',
    'price feed unavailable',
    'price feed unavailable',
    'storage provider unavailable',
  ])
  expect(lines.every(({ level, reason }) => level === 40 && typeof reason === 'string')).toBe(true)
  expect(storage.log.join('')).not.toContain('"stack"')
  expect(storage.log.join('') + figures + (await storage.call('/readyz')).body).not.toContain('secret-of-the-operator')
})

test('a followed chain shows its head, the last block read, and each endpoint; a later failure shows, too', async () => {
  await using place = await startPaymentChain()
  let isOffline = false
  await using second = await startRpcLiar(place.chain.url, (_question, response) => {
    if (isOffline) response.destroy()
  })
  await using storage = await startTestStorage({
    CAIRN_PAYMENTS: place.settings({ rpcUrls: [place.chain.url, second.url] }),
  })
  const states = async () => {
    const { find } = await readDependencies(storage)
    return [find('chain'), find('endpoint', 0), find('endpoint', 1), find('feed')].map((one) => one?.state)
  }
  await place.mine(3)
  await expect.poll(states).toEqual(['ok', 'ok', 'ok', 'ok'])
  const head = Number(await place.chain.reader.getBlockNumber())
  const figures = () => storage.context.metrics.registry.metrics()
  await expect.poll(figures).toContain(`cairn_chain_head_block{network="local",endpoint="1"} ${head}`)
  await expect.poll(figures).toContain(`cairn_chain_final_block{network="local",endpoint="0"} ${head - 2}`)
  await expect.poll(figures).toContain(`cairn_chain_read_block{network="local"} ${head - 2}`)
  expect((await readDependencies(storage)).isDegraded).toBe(false)

  isOffline = true
  await expect.poll(states).toEqual(['failed', 'ok', 'failed', 'ok'])
  const { find } = await readDependencies(storage)
  expect(find('chain')?.reason).toBe('Only 1 of 2 endpoints of local respond, 2 must agree')
  expect(find('endpoint', 1)?.lastSuccessAt).toBeGreaterThan(0)
  isOffline = false
  await expect.poll(states).toEqual(['ok', 'ok', 'ok', 'ok'])
  const lines = storage.log.map((line) => JSON.parse(line))
  expect(lines.filter(({ msg }) => msg === 'chain available again')).toHaveLength(1)
})

test('a replica that does not follow the chain shows the status written by the one that does', async () => {
  await using place = await startPaymentChain()
  await using storage = await startTestStorage({ CAIRN_PAYMENTS: place.settings() })
  const state = async () => (await readDependencies(storage)).find('chain')
  await expect.poll(state).toMatchObject({ state: 'ok' })
  const { db } = storage.context
  const lease = { owner: 'another', expires_at: Date.now() + 3_600_000, fence: 1_000 }
  await db.write((trx) => trx.updateTable('lease').set(lease).where('name', '=', 'payments-31337').execute())
  await db.write((trx) => trx.updateTable('chain_cursor').set({ fault: 'The endpoints disagree' }).execute())
  await expect.poll(state).toMatchObject({ state: 'failed', reason: 'The endpoints disagree' })
  await db.write((trx) => trx.updateTable('chain_cursor').set({ fault: null, checked_at: Date.now() }).execute())
  await expect.poll(state).toMatchObject({ state: 'ok' })
  await db.write((trx) =>
    trx
      .updateTable('chain_cursor')
      .set({ checked_at: Date.now() - 600_000 })
      .execute(),
  )
  await expect
    .poll(state)
    .toMatchObject({ state: 'failed', reason: expect.stringContaining('not read blocks recently') })
  expect(await storage.context.metrics.registry.metrics()).not.toContain('cairn_chain_head_block{network="local"')
})
