import type { KyselyPlugin, QueryResult, RootOperationNode, UnknownRow } from 'kysely'

/** Columns whose integers pass 2^53 and stay bigints: the ids of packs. All other columns called id are text. */
const bigintColumns = new Set(['id', 'pack_id', 'packId'])

/**
 * Both drivers read integers as bigints; this makes numbers of them where that loses nothing.
 * Throws a RangeError for an integer beyond 2^53 in any column but the ids of packs: never a wrong number.
 */
export const exactIntegers: KyselyPlugin = {
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

function toExactNumber(value: bigint, column: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`Column ${column} holds an integer beyond 2^53`)
}
