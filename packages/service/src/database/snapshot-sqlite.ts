import { DatabaseSync } from 'node:sqlite'
import { orderTables, type Snapshot, type SnapshotValue, snapshotBatchRows, toRow } from './snapshot-rows.ts'
import { describeSqliteError } from './sqlite-errors.ts'

/** Opens a read transaction on a connection of its own. */
export function openSqliteSnapshot(path: string): Snapshot {
  const attempt = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw describeSqliteError(error)
    }
  }
  const database = attempt(() => new DatabaseSync(path, { readOnly: true, timeout: 2000 }))
  try {
    // The first read decides what the transaction sees.
    attempt(() => database.exec('BEGIN; select count(*) from sqlite_master'))
  } catch (error) {
    database.close()
    throw error
  }
  const readAll = (query: string): SnapshotValue[][] => attempt(() => prepareRows(database, query).all().map(toRow))
  return {
    async listTables() {
      // A virtual table and the tables behind it hold no rows of their own.
      const columns = readAll(`select t.name, c.name from pragma_table_list as t, pragma_table_info(t.name) as c
        where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite!_%' escape '!' order by t.name, c.cid`)
      const references = readAll(`select t.name, r."table" from sqlite_master as t, pragma_foreign_key_list(t.name) as r
        where t.type = 'table'`)
      return orderTables(columns, references)
    },
    async *readRows(query) {
      let batch: SnapshotValue[][] = []
      try {
        for (const row of prepareRows(database, query).iterate()) {
          batch.push(toRow(row))
          if (batch.length < snapshotBatchRows) continue
          yield batch
          batch = []
        }
      } catch (error) {
        throw describeSqliteError(error)
      }
      if (batch.length > 0) yield batch
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}

function prepareRows(database: DatabaseSync, query: string) {
  const statement = database.prepare(query)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement
}
