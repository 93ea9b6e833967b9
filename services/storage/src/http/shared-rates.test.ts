// Two replicas of one service on PostgreSQL: what they must agree on.
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { migrations } from '../db/database.ts'
import { requireSecretSetting } from '../db/shared-secret.ts'
import { jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { createSharedRates } from './shared-rates.ts'

const key = '11'.repeat(32)
const wallet = privateKeyToAccount(`0x${key}`)

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

/** Tries to create an API key with a wrong signature. */
const guess = (replica: TestStorage) =>
  replica.call('/api/auth/create_api_key', jsonBody({ publicKey: wallet.address, signedMessage: `0x${key}${key}1b` }))

describe('replicas', () => {
  test('share the rate of calls that create rights, exactly, also for concurrent calls', async () => {
    const place = { CAIRN_DATABASE_URL: await postgres.createDatabase(), CAIRN_STORAGE_SECRET: key }
    await using first = await startTestStorage(place)
    await using second = await startTestStorage(place)
    await guess(second)
    const rows = () => first.context.db.read.selectFrom('call_rate').selectAll().execute()
    expect(await rows()).toEqual([{ name: expect.stringMatching(/^[0-9a-f]{32}$/), full_at: expect.any(Number) }])

    let now = first.context.clock.now()
    const rates = [first, second].map(({ context }) => createSharedRates({ ...context, clock: { now: () => now } }))
    const take = async (at: number) => rates[at % 2]?.consume('call caller', 30)
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => take(at)))
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(20)
    await expect(take(0)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { perMinute: 30 },
      retryAfterSeconds: 2,
    })
    // Two seconds refill one call, for both together.
    now += 2_000
    await take(1)
    await expect(take(0)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    // A bucket that is full again is equivalent to none.
    now += 120_000
    expect(await take(0)).toEqual({ perMinute: 30, remaining: 29, fullInSeconds: 2 })
    expect(await take(1)).toEqual({ perMinute: 30, remaining: 28, fullInSeconds: 4 })
    expect(await rows()).toHaveLength(1)
    // A clock that was set back by an hour must not lock callers out for an hour.
    now -= 3_600_000
    expect(await take(0)).toEqual({ perMinute: 30, remaining: 29, fullInSeconds: 2 })
    expect(await take(1)).toEqual({ perMinute: 30, remaining: 28, fullInSeconds: 4 })
  })

  test('reject another secret from the first start on, and accept the secondary one', async () => {
    const place = { CAIRN_DATABASE_URL: await postgres.createDatabase() }
    await using first = await startTestStorage({ ...place, CAIRN_STORAGE_SECRET: key })
    expect(first.apiUrl).toMatch(/^http/)
    const other = '22'.repeat(32)
    await expect(startTestStorage({ ...place, CAIRN_STORAGE_SECRET: other })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: 'Other replicas of this database use a different secret',
    })
    await using rotating = await startTestStorage({
      ...place,
      CAIRN_STORAGE_SECRET: other,
      CAIRN_STORAGE_SECRET_SECONDARY: key,
    })
    expect(rotating.apiUrl).toMatch(/^http/)
  })

  test('need the secret as a setting', () => {
    const environment = { CAIRN_HOME: '/nonexistent', CAIRN_DATABASE_URL: 'postgres://127.0.0.1/cairn' }
    expect(() => requireSecretSetting(readConfig(environment))).toThrow('CAIRN_STORAGE_SECRET is empty')
    requireSecretSetting(readConfig({ ...environment, CAIRN_STORAGE_SECRET: key }))
    requireSecretSetting(readConfig({ CAIRN_HOME: '/nonexistent' }))
  })
})
