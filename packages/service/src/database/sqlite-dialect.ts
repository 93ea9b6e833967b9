import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { describeSqliteError } from './sqlite-errors.ts'
import { traceStatement } from './trace-database.ts'

/** Maximum prepared statements per connection; evicts the least recently used first. */
const maxStatements = 256

type Prepared = { statement: StatementSync; answersRows: boolean }

/** Kysely over one open `node:sqlite` connection. The owner of the connection manages transactions. */
export function createSqliteDialect(database: DatabaseSync): Dialect {
  const connection = createConnection(database)
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createDriver: () => createDriver(connection, database),
  }
}

function createDriver(connection: DatabaseConnection, database: DatabaseSync): Driver {
  const refuse = (): Promise<never> => Promise.reject(new TypeError('Transactions go through Database.write'))
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => undefined,
    destroy: async () => {
      if (database.isOpen) database.close()
    },
  }
}

function createConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new Map<string, Prepared>()

  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql)
    if (known !== undefined) {
      statements.delete(sql)
      statements.set(sql, known)
      return known
    }
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    const prepared = { statement, answersRows: statement.columns().length > 0 }
    statements.set(sql, prepared)
    if (statements.size > maxStatements) {
      const oldest = statements.keys().next()
      if (oldest.done !== true) statements.delete(oldest.value)
    }
    return prepared
  }

  const run = <Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> => {
    const { statement, answersRows } = prepare(sql)
    const values = parameters.map(toInput)
    if (answersRows) return { rows: statement.all(...values) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  return {
    executeQuery: <Row>(query: CompiledQuery) =>
      traceStatement('sqlite', query, async () => {
        try {
          return run<Row>(query)
        } catch (error) {
          throw describeSqliteError(error)
        }
      }),
    async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
      try {
        // Prepared separately: a cached statement could run again while this one is being read.
        const statement = database.prepare(query.sql)
        statement.setReadBigInts(true)
        let rows: Row[] = []
        for (const row of statement.iterate(...query.parameters.map(toInput))) {
          rows.push(row as Row)
          if (rows.length < chunkSize) continue
          yield { rows }
          rows = []
        }
        if (rows.length > 0) yield { rows }
      } catch (error) {
        throw describeSqliteError(error)
      }
    },
  }
}

/** SQLite has no booleans. */
function toInput(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') {
    return value
  }
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  throw new TypeError(`A parameter of type ${typeof value} cannot be stored`)
}
