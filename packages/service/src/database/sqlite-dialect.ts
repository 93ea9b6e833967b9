import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type AbortableQueryOptions,
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { toExactRows } from './exact-integers.ts'
import { describeSqliteError } from './sqlite-errors.ts'
import { traceStatement } from './trace-database.ts'

/** Maximum prepared statements per connection; evicts the least recently used first. */
const maxStatements = 256

type Prepared = { statement: StatementSync; answersRows: boolean; hasBigints: boolean }

/**
 * Kysely over one open `node:sqlite` connection. The owner of the connection manages transactions.
 * @param bigintColumns names of the columns that are read as bigints; all others are exact numbers
 */
export function createSqliteKysely<Schema>(
  database: DatabaseSync,
  bigintColumns: readonly string[] = [],
): Kysely<Schema> {
  const connection = createConnection(database, new Set(bigintColumns))
  const driver = createDriver(connection, database)
  const adapter = new SqliteAdapter()
  const dialect = {
    createAdapter: () => adapter,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (kysely: Kysely<unknown>) => new SqliteIntrospector(kysely),
    createDriver: () => driver,
  }
  return new Kysely<Schema>({ config: { dialect }, dialect, driver, executor: createExecutor(connection, adapter) })
}

/**
 * Statements run at once: the connection is synchronous, and always the same. Kysely's own way to one acquires and releases it,
 * which takes as long as a small statement.
 */
function createExecutor(connection: DatabaseConnection, adapter: SqliteAdapter): DefaultQueryExecutor {
  class DirectExecutor extends DefaultQueryExecutor {
    override executeQuery<R>(query: CompiledQuery, options?: AbortableQueryOptions): Promise<QueryResult<R>> {
      return options?.signal === undefined ? connection.executeQuery<R>(query) : super.executeQuery<R>(query, options)
    }
  }
  return new DirectExecutor(new SqliteQueryCompiler(), adapter, {
    provideConnection: (consumer) => consumer(connection),
  })
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

function createConnection(database: DatabaseSync, bigintColumns: ReadonlySet<string>): DatabaseConnection {
  const statements = new Map<string, Prepared>()

  /** Without bigints, SQLite itself refuses an integer that is not exact as a number. */
  const open = (sql: string): Prepared => {
    const statement = database.prepare(sql)
    const columns = statement.columns()
    const hasBigints = columns.some(({ name }) => bigintColumns.has(name))
    if (hasBigints) statement.setReadBigInts(true)
    return { statement, answersRows: columns.length > 0, hasBigints }
  }

  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql)
    if (known !== undefined) {
      statements.delete(sql)
      statements.set(sql, known)
      return known
    }
    const prepared = open(sql)
    statements.set(sql, prepared)
    if (statements.size > maxStatements) {
      const oldest = statements.keys().next()
      if (oldest.done !== true) statements.delete(oldest.value)
    }
    return prepared
  }

  const run = <Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> => {
    const { statement, answersRows, hasBigints } = prepare(sql)
    const values = parameters.map(toInput)
    if (answersRows) {
      const rows = statement.all(...values)
      return { rows: (hasBigints ? toExactRows(rows, bigintColumns) : rows) as Row[] }
    }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  const tryToRun = <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    try {
      return Promise.resolve(run<Row>(query))
    } catch (error) {
      return Promise.reject(describeSqliteError(error))
    }
  }

  return {
    executeQuery: <Row>(query: CompiledQuery) => traceStatement('sqlite', query, () => tryToRun<Row>(query)),
    async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
      try {
        // Prepared separately: a cached statement could run again while this one is being read.
        const { statement, hasBigints } = open(query.sql)
        let rows: Row[] = []
        for (const row of statement.iterate(...query.parameters.map(toInput))) {
          if (hasBigints) toExactRows([row], bigintColumns)
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
