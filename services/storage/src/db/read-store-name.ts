import type { Database } from './database.ts'

/** Returns the name of this database, which its objects and backups carry. */
export async function readStoreName(db: Database['read']): Promise<string> {
  return (await db.selectFrom('store').select('name').executeTakeFirstOrThrow()).name
}
