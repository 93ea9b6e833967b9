import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { countRemoval } from './removals.ts'

/** Rows of blocks deleted per unit of work. */
const blocksInOneUnit = 2000

/**
 * Removes the object and then the rows of a pack whose state is 'removing'. After an interruption, the next call
 * continues. The object of a pack in a merged one is what merging left, if it is still there.
 */
export async function removePack(
  db: Database,
  objects: ObjectStore,
  { id, objectKey }: { id: bigint; objectKey: string },
  signal?: AbortSignal,
): Promise<void> {
  await objects.remove(objectKey)
  await removeBlocks(db, id, signal)
  await db.write(async (trx) => {
    await trx.deleteFrom('pack').where('id', '=', id).where('state', '=', 'removing').execute()
    // A replica may have opened the object between the decision and its removal.
    await countRemoval(trx)
  })
}

/** Deletes the rows of all blocks of a pack in several units of work. */
export async function removeBlocks(db: Database, packId: bigint, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const deleted = await db.write(async (trx) => {
      const some = trx.selectFrom('block').select('multihash').where('pack_id', '=', packId).limit(blocksInOneUnit)
      const { numDeletedRows } = await trx
        .deleteFrom('block')
        .where('pack_id', '=', packId)
        .where('multihash', 'in', some)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    })
    if (deleted < blocksInOneUnit) return
  }
}
