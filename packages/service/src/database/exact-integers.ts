import type { KyselyPlugin, QueryResult, RootOperationNode, UnknownRow } from 'kysely'

/**
 * Both drivers read integers as bigints; this plugin converts them to numbers if that is lossless, in all columns
 * except the named ones. Throws a RangeError for an integer beyond 2^53: never a wrong number.
 */
export function exactIntegers(names: readonly string[] = []): KyselyPlugin {
  const bigintColumns = new Set(names)
  return {
    transformQuery({ node }): RootOperationNode {
      return node
    },
    transformResult({ result }): Promise<QueryResult<UnknownRow>> {
      for (const row of result.rows) {
        for (const name in row) {
          const value = row[name]
          if (typeof value === 'bigint' && !bigintColumns.has(name)) row[name] = toExactNumber(value, name)
        }
      }
      return Promise.resolve(result)
    },
  }
}

function toExactNumber(value: bigint, column: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`Column ${column} contains an integer beyond 2^53`)
}
