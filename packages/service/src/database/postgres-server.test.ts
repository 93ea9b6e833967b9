import { once } from 'node:events'
import { createServer } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startPostgresServer } from './postgres-server.fixture.ts'

test('PostgreSQL uses another port if its own was taken meanwhile, and keeps it after a crash', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const taken = typeof address === 'object' && address !== null ? address.port : 0
  let tries = 0
  const pickPort = () => (tries++ === 0 ? taken : 10_000 + Math.floor(Math.random() * 22_000))
  const server = await startPostgresServer(pickPort)
  try {
    expect(tries).toBeGreaterThan(1)
    expect(Number(new URL(server.url).port)).not.toBe(taken)
    await server.crash()
    await server.restart()
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
  } finally {
    await server.stop()
    other.close()
  }
})
