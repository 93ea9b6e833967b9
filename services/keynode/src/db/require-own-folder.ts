import { CairnError } from '@cairn/protocol'
import type { Database } from './database.ts'

/**
 * Names the data of a node at its first start, and later requires the same name.
 * @throws CairnError INVALID_CONFIGURATION for data of another node
 */
export async function requireOwnFolder(db: Database, name: string): Promise<void> {
  await db.write((trx) =>
    trx
      .insertInto('node')
      .values({ id: 1, name })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),
  )
  const row = await db.read.selectFrom('node').select('name').where('id', '=', 1).executeTakeFirst()
  if (row?.name === name) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `The data of this key node was created with another number, network or secret`,
    hint: 'Restore the original settings. Without the original secret, no shard can be opened.',
  })
}
