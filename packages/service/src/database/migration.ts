/** How the two databases write the same types. */
export type ColumnTypes = {
  readonly integer: string
  readonly bytes: string
  /** Text, compared by its bytes on both. */
  readonly text: string
  /** What ends a table with a row number of its own. */
  readonly strict: string
  /** What ends a table that is its own primary key index, where the database has such. */
  readonly clustered: string
}

export const columnTypes: Readonly<Record<'sqlite' | 'postgres', ColumnTypes>> = {
  sqlite: {
    integer: 'integer',
    bytes: 'blob',
    text: 'text',
    strict: ' strict',
    clustered: ' strict, without rowid',
  },
  postgres: { integer: 'bigint', bytes: 'bytea', text: 'text collate "C"', strict: '', clustered: '' },
}

/** One step of the schema: plain SQL that both databases run, but for the names of types. */
export type Migration = { readonly name: string; statements(types: ColumnTypes): string[] }
