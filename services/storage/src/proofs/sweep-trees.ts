import type { Context } from '../context.ts'
import { treePrefix } from './tree-object.ts'

/** Objects younger than this may be about to get their row. */
const youngMs = 3_600_000

/** Removes trees that a crash left without a row. */
export async function sweepTrees({ db, objects, clock }: Context): Promise<void> {
  for await (const { key, modifiedAt } of objects.list(treePrefix)) {
    if (modifiedAt > clock.now() - youngMs) continue
    const row = await db.read.selectFrom('piece').select('id').where('tree_key', '=', key).executeTakeFirst()
    if (row === undefined) await objects.remove(key)
  }
}
