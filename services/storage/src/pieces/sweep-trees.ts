import type { Context } from '../context.ts'
import { treePrefix } from './tree-object.ts'

/** Removes trees whose replica ended before it recorded them. Returns their number. */
export async function sweepTrees(
  { db, objects }: Pick<Context, 'db' | 'objects'>,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0
  for await (const { key, settle } of objects.listAbandoned(treePrefix)) {
    signal.throwIfAborted()
    const row = await db.read.selectFrom('piece').select('id').where('tree_key', '=', key).executeTakeFirst()
    if (row === undefined) {
      await objects.remove(key)
      removed++
    }
    await settle()
  }
  return removed
}
