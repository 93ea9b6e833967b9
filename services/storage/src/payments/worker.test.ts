import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { acquireLease } from '../workers/lease.ts'
import { systemClock } from '../workers/worker.ts'
import { startPaymentChain, startRpcLiar } from './payment-chain.fixture.ts'
import { openBooks, openPaymentContext } from './payment-context.fixture.ts'
import { createPaymentWorker } from './worker.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a round longer than its lease keeps it from other replicas, and credits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-payment-worker-'))
  await using place = await startPaymentChain()
  await using db = await openDatabase({ kind: 'sqlite', path: join(folder, 'cairn.sqlite') })
  await place.pay(place.alice, 10n ** 15n)
  await place.mine(2)
  const clock = { ms: Date.now(), now: () => clock.ms }
  const readExpiry = async () =>
    (await db.read.selectFrom('lease').select('expires_at').executeTakeFirstOrThrow()).expires_at
  const taken: unknown[] = []
  let slowRequests = 0
  await using endpoint = await startRpcLiar(place.chain.url, async ({ method }) => {
    if (method !== 'eth_call' || slowRequests === 3) return undefined
    slowRequests++
    // A slow price feed: 15 s for each request, in which two renewals are due.
    for (let i = 0; i < 2; i++) {
      clock.ms += 7500
      vi.advanceTimersByTime(7500)
    }
    await expect.poll(readExpiry, { timeout: 30_000 }).toBe(clock.ms + 30_000)
    taken.push(await acquireLease(db, { name: 'payments-31337', owner: 'other', durationMs: 30_000, now: clock.ms }))
    return undefined
  })
  const config = readConfig({ CAIRN_HOME: folder, CAIRN_PAYMENTS: place.settings({ rpcUrls: [endpoint.url] }) })
  const [network] = config.payments.networks
  if (network === undefined) throw new Error('there is no network')
  const stop = new AbortController()
  // Only the timer of the renewal follows the clock of the test.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const context = { ...openPaymentContext(db, config, clock), processId: 'this' }
  const worker = createPaymentWorker(context, network, { ...systemClock, sleep: async () => stop.abort() })
  await worker.run(stop.signal)
  expect(taken).toEqual([undefined, undefined, undefined])
  expect(await openBooks(db).states()).toEqual(['credited'])
  await rm(folder, { recursive: true, force: true })
})
