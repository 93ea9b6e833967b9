import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { describePostgresError } from './postgres-errors.ts'
import { traceStatement } from './trace-database.ts'

/** PostgreSQL types by number: int8, and numeric, which sums of int8 are. */
const int8 = 20
const numeric = 1700

/** Reads integers exactly; the plugin `exactIntegers` converts them to numbers. */
export const postgresTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && oid === int8) return BigInt
    if (format !== 'binary' && oid === numeric) return parseNumeric
    return pg.types.getTypeParser(oid, format)
  },
}

function parseNumeric(text: string): bigint | string {
  return /^-?\d+$/.test(text) ? BigInt(text) : text
}

type Connection = DatabaseConnection & { readonly client: pg.PoolClient; broken: boolean }

/** Kysely over a pool of `pg`, with CairnErrors. A failed connection is not reused. */
export function createPostgresDialect(pool: pg.Pool): Dialect {
  const connections = new WeakMap<DatabaseConnection, Connection>()
  const own = (connection: DatabaseConnection): Connection => {
    const known = connections.get(connection)
    if (known === undefined) throw new TypeError('A connection of another pool')
    return known
  }
  const execute = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await runOn(own(connection), text, [])
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createDriver: () => ({
      init: async () => undefined,
      async acquireConnection() {
        try {
          const connection = createConnection(await pool.connect())
          connections.set(connection, connection)
          return connection
        } catch (error) {
          throw describePostgresError(error)
        }
      },
      beginTransaction: (connection) => execute(connection, 'begin isolation level read committed'),
      commitTransaction: (connection) => execute(connection, 'commit'),
      rollbackTransaction: (connection) => execute(connection, 'rollback'),
      async releaseConnection(connection) {
        const { client, broken } = own(connection)
        client.release(broken)
      },
      destroy: () => pool.end(),
    }),
  }
}

async function runOn(connection: Connection, text: string, values: unknown[]): Promise<pg.QueryResult> {
  try {
    return await connection.client.query({ text, values, types: postgresTypes })
  } catch (error) {
    if (!isUsableAfter(error)) connection.broken = true
    throw describePostgresError(error)
  }
}

/** read_only_sql_transaction. */
const readOnlyCode = '25006'

/**
 * Errors from the server have a severity; after any other error the state of the connection is unknown. A server that rejects
 * writes is a standby: a new connection may reach the primary, for example through a proxy that follows a failover.
 */
function isUsableAfter(error: unknown): boolean {
  if (!(error instanceof Error && 'severity' in error && error.severity === 'ERROR')) return false
  return !('code' in error && error.code === readOnlyCode)
}

function createConnection(client: pg.PoolClient): Connection {
  const connection: Connection = {
    client,
    broken: false,
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const { command, rowCount, rows } = await traceStatement('postgres', query, () =>
        runOn(connection, query.sql, [...query.parameters]),
      )
      const changes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command)
      return changes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    },
    async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
      // A cursor in SQL lives in a transaction, which belongs only to this connection.
      await runOn(connection, 'begin read only', [])
      try {
        await runOn(connection, `declare rows_ahead no scroll cursor for ${query.sql}`, [...query.parameters])
        for (;;) {
          const { rows } = await runOn(connection, `fetch ${Math.max(1, Math.trunc(chunkSize))} from rows_ahead`, [])
          if (rows.length === 0) return
          yield { rows }
        }
      } finally {
        if (!connection.broken) await runOn(connection, 'rollback', [])
      }
    },
  }
  return connection
}
