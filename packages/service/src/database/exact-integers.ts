import type { KyselyPlugin, QueryResult, RootOperationNode, UnknownRow } from 'kysely'

/**
 * The driver reads integers as bigints; this plugin converts them to numbers if that is lossless, in all columns
 * except the named ones. Throws a RangeError for an integer beyond 2^53: never a wrong number.
 */
export function exactIntegers(names: readonly string[] = []): KyselyPlugin {
  const bigintColumns = new Set(names)
  return {
    transformQuery({ node }): RootOperationNode {
      return node
    },
    transformResult({ result }): Promise<QueryResult<UnknownRow>> {
      toExactRows(result.rows, bigintColumns)
      return Promise.resolve(result)
    },
  }
}

/** Converts bigints in place, in all columns except the named ones. @throws RangeError */
export function toExactRows<Row extends Record<string, unknown>>(
  rows: readonly Row[],
  bigintColumns: ReadonlySet<string>,
): readonly Row[] {
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (const name in row) {
      const value = row[name]
      if (typeof value === 'bigint' && !bigintColumns.has(name)) row[name] = toExactNumber(value, name)
    }
  }
  return rows
}

function toExactNumber(value: bigint, column: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`Column ${column} contains an integer beyond 2^53`)
}
