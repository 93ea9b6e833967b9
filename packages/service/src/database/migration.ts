/** The names of column types in the two databases. */
export type ColumnTypes = {
  /** For the few statements that they do not share, such as triggers. */
  readonly kind: 'sqlite' | 'postgres'
  readonly integer: string
  readonly bytes: string
  /** Text, compared by bytes on both. */
  readonly text: string
  /** End of a table with its own row number. */
  readonly strict: string
  /** End of a table that is its own primary key index, if the database supports it. */
  readonly clustered: string
}

export const columnTypes: Readonly<Record<'sqlite' | 'postgres', ColumnTypes>> = {
  sqlite: {
    kind: 'sqlite',
    integer: 'integer',
    bytes: 'blob',
    text: 'text',
    strict: ' strict',
    clustered: ' strict, without rowid',
  },
  postgres: {
    kind: 'postgres',
    integer: 'bigint',
    bytes: 'bytea',
    text: 'text collate "C"',
    strict: '',
    clustered: '',
  },
}

/** One step of the schema: plain SQL that both databases run, except for the types in `types`. */
export type Migration = {
  readonly name: string
  /**
   * `expand`: the previous version still runs, and starts, on the new schema, because everything it uses remains and every
   * addition is optional. `contract`: it does not; only for parts that no version in use needs any more.
   */
  readonly change: 'expand' | 'contract'
  statements(types: ColumnTypes): string[]
}
