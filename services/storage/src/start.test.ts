import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AddressInfo, Server } from 'node:net'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestStorage } from './start-test-storage.fixture.ts'

test('the API listens last, when the addresses that its calls return are known', async () => {
  const ports: number[] = []
  const note = (message: unknown) => {
    const { server } = message as { server: Server }
    ports.push((server.address() as AddressInfo).port)
  }
  subscribe('tracing:net.server.listen:asyncEnd', note)
  try {
    await using storage = await startTestStorage({ CAIRN_S3_API_PORT: '0' })
    const opened = [storage.gatewayUrl, storage.profile.s3?.endpoint ?? '', storage.apiUrl]
    expect(ports.slice(-opened.length)).toEqual(opened.map((url) => Number(new URL(url).port)))
  } finally {
    unsubscribe('tracing:net.server.listen:asyncEnd', note)
  }
})

test('a lease that cannot be released at the end does not look like a job that stopped', async () => {
  const { context, log, [Symbol.asyncDispose]: stop } = await startTestStorage()
  const countLeases = () => context.db.read.selectFrom('lease').select('name').where('expires_at', '>', 0).execute()
  await expect.poll(async () => (await countLeases()).length).toBeGreaterThan(0)
  await context.db.write((trx) => sql`alter table lease rename to moved_lease`.execute(trx))
  await stop()
  const lines = log.join('')
  expect(lines).toContain('failed to release a lease')
  expect(lines).not.toContain('worker stopped')
})
