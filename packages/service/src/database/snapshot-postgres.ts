import pg from 'pg'
import { postgresTypes } from './postgres-dialect.ts'
import { describePostgresError } from './postgres-errors.ts'
import { orderTables, type Snapshot, type SnapshotValue, snapshotBatchRows, toRow } from './snapshot-rows.ts'

const connectTimeoutMs = 5000
/** Time limits of a statement, in the server and here, in ms. */
const statementTimeoutMs = 300_000
const answerTimeoutMs = 330_000
/** Time in ms that the reader may need for a batch. */
const idleTimeoutMs = 600_000

/** Opens a repeatable-read transaction on a connection of its own. `url` is never logged. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: 'cairn-backup',
  })
  // A connection that dies fails the next query.
  client.on('error', () => undefined)
  const run = async (text: string): Promise<SnapshotValue[][]> => {
    try {
      const { rows } = await client.query({ text, rowMode: 'array', types: postgresTypes })
      return rows.map(toRow)
    } catch (error) {
      throw describePostgresError(error)
    }
  }
  try {
    await client.connect().catch((error: unknown) => {
      throw describePostgresError(error)
    })
    await run('begin isolation level repeatable read, read only')
    // Not when the connection opens, where a pooler may refuse or ignore them.
    await run(`set local statement_timeout = ${statementTimeoutMs}`)
    await run(`set local idle_in_transaction_session_timeout = ${idleTimeoutMs}`)
    // The first query decides what the transaction sees.
    await run('select 1::int8')
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    async listTables() {
      const columns = await run(`select c.table_name::text, c.column_name::text from information_schema.columns as c
        join information_schema.tables as t using (table_schema, table_name)
        where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
        order by c.table_name, c.ordinal_position`)
      const references = await run(`select f.relname::text, t.relname::text from pg_constraint as c
        join pg_class as f on f.oid = c.conrelid join pg_class as t on t.oid = c.confrelid
        where c.contype = 'f' and c.connamespace = current_schema()::regnamespace`)
      return orderTables(columns, references)
    },
    async *readRows(query) {
      await run(`declare snapshot_rows no scroll cursor for ${query}`)
      for (;;) {
        const rows = await run(`fetch ${snapshotBatchRows} from snapshot_rows`)
        if (rows.length === 0) break
        yield rows
      }
      await run('close snapshot_rows')
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
