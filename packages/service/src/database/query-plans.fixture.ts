import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely'
import type { Database } from './types.ts'

/** A database that records its queries, and how SQLite runs them. */
export type PlannedDatabase<Schema> = {
  database: Database<Schema>
  /** Returns the steps of EXPLAIN QUERY PLAN for the queries since the last call, each query once. */
  explain(): Promise<string[]>
}

/** Passes all queries to a SQLite database and records them, except those that `prepareStatement` has compiled. */
export function planQueries<Schema>(db: Database<Schema>): PlannedDatabase<Schema> {
  const queries = new Map<string, CompiledQuery>()
  const executor = db.read.getExecutor()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const query = executor.compileQuery(node, queryId)
      queries.set(query.sql, query)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  const noted = (own: Kysely<Schema>) => own.withPlugin(plugin)
  return {
    database: { ...db, read: noted(db.read), write: (unit) => db.write((trx) => unit(noted(trx))) },
    async explain() {
      const steps: string[] = []
      for (const query of queries.values()) {
        const { rows } = await db.read.executeQuery<{ detail: string }>(
          CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
        )
        steps.push(...rows.map(({ detail }) => detail))
      }
      queries.clear()
      return steps
    },
  }
}
