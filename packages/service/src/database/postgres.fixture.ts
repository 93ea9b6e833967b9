import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { openDatabase } from './database.ts'
import { columnTypes, type Migration } from './migration.ts'
import { startPostgresServer } from './postgres-server.fixture.ts'

/** Databases of a real PostgreSQL, for one test file. */
export type PostgresFixture = {
  /** Creates a database, empty or with the migrated tables, and returns its URL. */
  createDatabase(): Promise<string>
  /** Copies a database without connections, like a restored backup, and returns its URL. */
  copyDatabase(url: string): Promise<string>
  stop(): Promise<void>
}

/** Any number; the same for all files, so that one migrates at a time. */
const templateLock = 7_240_611_094

/**
 * A real PostgreSQL. In a test run all files share one server, started on first use (`CAIRN_TEST_POSTGRES` has the
 * address to request it); otherwise this starts a separate one.
 * @param migrations of each new database: they run once per server, and databases are copies of the result. Defaults to
 *   none: each database is empty
 */
export async function startPostgres(migrations: readonly Migration[] = []): Promise<PostgresFixture> {
  const broker = process.env['CAIRN_TEST_POSTGRES']
  const server = broker === undefined ? await startPostgresServer() : undefined
  const url = server?.url ?? (await requestServer(broker ?? ''))
  const created: string[] = []
  // The server starts a process for each connection, which takes a quarter of the time that a database takes.
  let connection: Promise<pg.Client> | undefined
  const run = async (statement: string): Promise<void> => {
    connection ??= connect(url)
    await (await connection).query(statement)
  }
  const createFrom = async (template: string): Promise<string> => {
    const name = `t${randomUUID().replaceAll('-', '')}`
    created.push(name)
    // By default PostgreSQL copies through its log, which takes longer for a database this small.
    await run(`create database ${name} template ${template} strategy file_copy`)
    return new URL(name, url).href
  }
  let migrated: Promise<string> | undefined
  return {
    async createDatabase() {
      if (migrations.length === 0) return createFrom('template1')
      migrated ??= createTemplate(url, migrations)
      return createFrom(await migrated)
    },
    copyDatabase: (copied) => createFrom(new URL(copied).pathname.slice(1)),
    async stop() {
      if (server === undefined) for (const name of created) await run(`drop database if exists ${name} with (force)`)
      await (await connection)?.end()
      await server?.stop()
    },
  }
}

/** Migrates a database that others are copied from, unless another file has. @returns its name */
async function createTemplate(url: string, migrations: readonly Migration[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, statements } of migrations) hash.update([name, ...statements(columnTypes.postgres)].join('\n'))
  const template = `migrated_${hash.digest('hex').slice(0, 16)}`
  await withClient(url, async (client) => {
    // It is released with the connection.
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [template])
    if (rows.length > 0) return
    // Renamed when it is complete.
    const unfinished = `${template}_unfinished`
    await client.query(`drop database if exists ${unfinished}`)
    await client.query(`create database ${unfinished}`)
    const db = await openDatabase({ kind: 'postgres', url: new URL(unfinished, url).href, poolSize: 1 }, { migrations })
    await db.close()
    await client.query(`alter database ${unfinished} rename to ${template}`)
  })
  return template
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

async function withClient(url: string, unit: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await connect(url)
  try {
    await unit(client)
  } finally {
    await client.end()
  }
}

async function requestServer(broker: string): Promise<string> {
  const answer = await fetch(broker)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
