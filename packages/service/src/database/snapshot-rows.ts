/** A value of a row. Integers are bigints. */
export type SnapshotValue = string | bigint | Uint8Array | null

/** A table and its columns, in their order. */
export type SnapshotTable = { readonly name: string; readonly columns: readonly string[] }

/** The rows of a whole database at one moment, on a connection of their own. Other connections continue to write. */
export type Snapshot = AsyncDisposable & {
  /** Lists all tables, each after the tables that it refers to. */
  listTables(): Promise<SnapshotTable[]>
  /** Runs a query and returns its rows in batches. One query at a time. @throws CairnError UNAVAILABLE */
  readRows(query: string): AsyncGenerator<SnapshotValue[][]>
}

/** Rows per batch. */
export const snapshotBatchRows = 500

/** Checks the types of a row. */
export function toRow(row: unknown): SnapshotValue[] {
  if (!Array.isArray(row)) throw new TypeError('A row of a snapshot is not a list')
  return row.map((value: unknown) => {
    if (value === null || typeof value === 'string' || typeof value === 'bigint') return value
    if (value instanceof Uint8Array) return value
    throw new TypeError(`A snapshot contains a value of type ${typeof value}`)
  })
}

/** Orders tables so that each comes after those it refers to. */
export function orderTables(
  columns: readonly (readonly SnapshotValue[])[],
  references: readonly (readonly SnapshotValue[])[],
): SnapshotTable[] {
  const byName = Map.groupBy(columns, ([table]) => String(table))
  const targets = Map.groupBy(references, ([table]) => String(table))
  const ordered = new Set<string>()
  const visit = (name: string): void => {
    if (ordered.has(name) || !byName.has(name)) return
    for (const [, target] of targets.get(name) ?? []) if (target !== name) visit(String(target))
    ordered.add(name)
  }
  for (const name of [...byName.keys()].toSorted()) visit(name)
  return [...ordered].map((name) => ({ name, columns: (byName.get(name) ?? []).map(([, column]) => String(column)) }))
}
