import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { startPostgresServer } from './postgres-server.fixture.ts'

/** Databases of a real PostgreSQL, for one test file. */
export type PostgresFixture = {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Copies a database without connections, like a restored backup, and returns its URL. */
  copyDatabase(url: string): Promise<string>
  stop(): Promise<void>
}

/**
 * A real PostgreSQL. In a test run all files share one server, started on first use (`CAIRN_TEST_POSTGRES` has the
 * address to request it); otherwise this starts a separate one.
 */
export async function startPostgres(): Promise<PostgresFixture> {
  const broker = process.env['CAIRN_TEST_POSTGRES']
  const server = broker === undefined ? await startPostgresServer() : undefined
  const url = server?.url ?? (await requestServer(broker ?? ''))
  const createFrom = async (template: string): Promise<string> => {
    const name = `t${randomUUID().replaceAll('-', '')}`
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(`create database ${name} template ${template}`)
    } finally {
      await client.end()
    }
    return new URL(name, url).href
  }
  return {
    createDatabase: () => createFrom('template1'),
    copyDatabase: (copied) => createFrom(new URL(copied).pathname.slice(1)),
    // The databases are removed with the server: dropping each would make it flush everything to disk.
    stop: async () => server?.stop(),
  }
}

async function requestServer(broker: string): Promise<string> {
  const answer = await fetch(broker)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
