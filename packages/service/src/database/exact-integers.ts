import type { KyselyPlugin, QueryResult, RootOperationNode, UnknownRow } from 'kysely'

/**
 * Both drivers read integers as bigints; this makes numbers of them where that loses nothing, in all columns but those
 * named, which stay bigints. Throws a RangeError for an integer beyond 2^53: never a wrong number.
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
  throw new RangeError(`Column ${column} holds an integer beyond 2^53`)
}
