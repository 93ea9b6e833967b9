import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/** Assigns a database to a node, unless it belongs to one already. */
export async function claimNode(db: Database, name: string): Promise<void> {
  await db.write((trx) =>
    trx
      .insertInto('node')
      .values({ id: 1, name })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),
  )
}

/** Returns the node that a database belongs to; undefined when no node has used it. */
export function findNode({ read }: Pick<Database, 'read'>): Promise<Selectable<Schema['node']> | undefined> {
  return read.selectFrom('node').selectAll().where('id', '=', 1).executeTakeFirst()
}
