import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'

/** Returns the place of a parameter in a statement. */
export type StatementParams<Params> = <Name extends keyof Params>(name: Name) => RawBuilder<Params[Name]>

/** A compiled statement, with the parameter of each of its values; undefined for a constant. */
type Prepared<Params, Row> = { query: CompiledQuery<Row>; names: readonly (keyof Params | undefined)[] }

/**
 * Builds a frequent statement only once per dialect, because building it takes several times as long as SQLite takes to run it.
 * @param build returns the same query each time, with `param` instead of values
 * @returns a function that runs the statement and returns its rows
 */
export function prepareStatement<Schema, Params extends object, Row>(
  build: (db: Kysely<Schema>, param: StatementParams<Params>) => Compilable<Row>,
): (db: Kysely<Schema>, params: Params) => Promise<Row[]> {
  // All instances of a database share an adapter, and so do its transactions.
  const prepared = new WeakMap<object, Prepared<Params, Row>>()

  const prepare = (db: Kysely<Schema>): Prepared<Params, Row> => {
    const places = new Map<unknown, keyof Params>()
    const query = build(db, (name) => {
      const place = { name }
      places.set(place, name)
      return sql`${place}`
    }).compile()
    const known = { query, names: query.parameters.map((value) => places.get(value)) }
    prepared.set(db.getExecutor().adapter, known)
    return known
  }

  return async (db, params) => {
    const executor = db.getExecutor()
    const { query, names } = prepared.get(executor.adapter) ?? prepare(db)
    const { query: node, queryId, sql: text } = query
    const parameters = names.map((name, at) => (name === undefined ? query.parameters[at] : params[name]))
    const { rows } = await executor.executeQuery<Row>({ query: node, queryId, sql: text, parameters })
    return rows
  }
}
