import { CairnError } from '@cairn/protocol'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import type { ReadinessPurpose } from '../readiness.ts'
import { connectionSettings } from './connection-settings.ts'
import { exactIntegers } from './exact-integers.ts'
import { migrate } from './migrate.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { describeFailedOpening, describePostgresError } from './postgres-errors.ts'
import { runAgain } from './run-again.ts'
import type { BaseSchema, DatabaseOptions, QuietDatabase } from './types.ts'

const connectTimeoutMs = 5000
/** Time limit of a statement of a server that has stopped answering, in ms. Longer than the limit in the server. */
const answerTimeoutMs = 35_000
const pingTimeoutMs = 2000

/** Opens a pool of connections to PostgreSQL and migrates the tables. `url` is never logged. */
export async function openPostgres<Schema extends BaseSchema>(
  url: string,
  { migrations, bigintColumns }: DatabaseOptions,
  poolSize = 16,
): Promise<QuietDatabase<Schema>> {
  const pool = createPool(url, { max: poolSize, query_timeout: answerTimeoutMs })
  const read = new Kysely<Schema>({ dialect: createPostgresDialect(pool), plugins: [exactIntegers(bigintColumns)] })
  const write = writerOf(read)
  try {
    await requireSafety(read)
    await migrateTables(url, migrations)
  } catch (error) {
    await read.destroy()
    throw describeFailedOpening(error)
  }
  const close = (): Promise<void> => read.destroy()
  return {
    kind: 'postgres',
    read,
    write,
    ping: (purpose = 'all') => ping(pool, purpose),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function createPool(url: string, limits: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    ...connectionSettings,
    application_name: 'cairn',
    ...limits,
  })
  // A connection that dies while idle has left the pool already; the next caller gets another or UNAVAILABLE.
  pool.on('error', () => undefined)
  // A connection that dies in use fails its statement; without a listener, the additional event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function writerOf<Schema>(db: Kysely<Schema>) {
  return <T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T> => runAgain(() => db.transaction().execute(unit))
}

/** Migrates on a connection of its own. Without a time limit, keep-alive detects that the server is gone. */
async function migrateTables(url: string, migrations: DatabaseOptions['migrations']): Promise<void> {
  const pool = createPool(url, { max: 1, keepAlive: true })
  await using db = new Kysely<unknown>({ dialect: createPostgresDialect(pool) })
  await migrate('postgres', writerOf(db), migrations)
}

/** Bypasses Kysely: readiness must answer long before the statement timeout. */
async function ping(pool: pg.Pool, purpose: ReadinessPurpose): Promise<void> {
  const answer = checkServer(pool, purpose)
  answer.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notReady('PostgreSQL does not respond')), pingTimeoutMs)
  })
  try {
    await Promise.race([answer, late])
  } catch (error) {
    throw describePostgresError(error)
  } finally {
    clearTimeout(timer)
  }
}

async function checkServer(pool: pg.Pool, purpose: ReadinessPurpose): Promise<void> {
  const client = await pool.connect()
  let isUsable = false
  try {
    const { rows } = await client.query<{ value: string }>("select current_setting('transaction_read_only') as value")
    isUsable = purpose === 'reads' || rows[0]?.value !== 'on'
  } finally {
    // A new connection may reach the primary, for example through a proxy that follows a failover.
    client.release(!isUsable)
  }
  if (!isUsable) throw notReady('PostgreSQL rejects writes: it is a standby, or read-only')
}

/** An error whose message is logged as the reason. */
function notReady(message: string): CairnError {
  return new CairnError('UNAVAILABLE', { message, retryAfterSeconds: 5 })
}

/** A server without sync would lose acknowledged data. */
async function requireSafety<Schema>(read: Kysely<Schema>): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${setting}) as value`.execute(read)
    if (rows[0]?.value !== 'off') continue
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `PostgreSQL runs with ${setting} = off and can lose data`,
      hint: `Set ${setting} = on in postgresql.conf.`,
    })
  }
}
