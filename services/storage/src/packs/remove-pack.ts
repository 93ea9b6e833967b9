import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'

/** Rows of blocks deleted in one unit of work. */
const blocksInOneUnit = 2000

/**
 * Removes the object and then the rows of a pack whose state is 'removing'. Interrupted anywhere, the next call goes on.
 */
export async function removePack(
  db: Database,
  objects: ObjectStore,
  { id, objectKey }: { id: bigint; objectKey: string },
  signal?: AbortSignal,
): Promise<void> {
  await objects.remove(objectKey)
  for (;;) {
    signal?.throwIfAborted()
    const deleted = await db.write(async (trx) => {
      const some = trx.selectFrom('block').select('multihash').where('pack_id', '=', id).limit(blocksInOneUnit)
      const { numDeletedRows } = await trx
        .deleteFrom('block')
        .where('pack_id', '=', id)
        .where('multihash', 'in', some)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    })
    if (deleted < blocksInOneUnit) break
  }
  await db.write(async (trx) => {
    await trx.deleteFrom('pack').where('id', '=', id).where('state', '=', 'removing').execute()
  })
}
