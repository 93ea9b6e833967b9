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

/** Name in the row while a restore fills the database. Names of nodes have three parts. */
const restoringName = 'restoring'

/** Marks a database that no node has used as being restored: no node starts on it until the rows are in it. */
export function markRestoring(db: Database): Promise<void> {
  return claimNode(db, restoringName)
}

/** Whether a restore of the database began and did not end. */
export function isRestoring({ name }: { name: string }): boolean {
  return name === restoringName
}
