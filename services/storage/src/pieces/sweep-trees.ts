import type { Context } from '../context.ts'
import { removeAbandonedObjects } from '../objects/remove-abandoned.ts'
import { treePrefix } from './tree-object.ts'

/** Removes trees whose replica ended before it recorded them. Returns their number. */
export function sweepTrees({ db, objects }: Pick<Context, 'db' | 'objects'>, signal: AbortSignal): Promise<number> {
  const isRecorded = async (key: string): Promise<boolean> =>
    (await db.read.selectFrom('piece').select('id').where('tree_key', '=', key).executeTakeFirst()) !== undefined
  return removeAbandonedObjects(objects, treePrefix, isRecorded, signal)
}
