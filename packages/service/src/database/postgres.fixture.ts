import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { startPostgresServer } from './postgres-server.fixture.ts'

/** Databases of a real PostgreSQL, for one test file. */
export type PostgresFixture = {
  /** Makes an empty database and answers its URL. */
  createDatabase(): Promise<string>
  /** Makes a copy of a database that nobody is connected to, as a backup that was restored; answers its URL. */
  copyDatabase(url: string): Promise<string>
  stop(): Promise<void>
}

/**
 * A real PostgreSQL. In a run of the tests all files share one server, started when the first of them asks for it (the run
 * says where to ask, in `CAIRN_TEST_POSTGRES`); anywhere else this starts one of its own.
 */
export async function startPostgres(): Promise<PostgresFixture> {
  const broker = process.env['CAIRN_TEST_POSTGRES']
  const server = broker === undefined ? await startPostgresServer() : undefined
  const url = server?.url ?? (await askFor(broker ?? ''))
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
    // The databases go with the server: to drop each would make it write all it has to the disk.
    stop: async () => server?.stop(),
  }
}

async function askFor(broker: string): Promise<string> {
  const answer = await fetch(broker)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
