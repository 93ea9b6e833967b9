import type { Context } from '../context.ts'
import { treePrefix } from './tree-object.ts'

/** Objects younger than this may be about to get their row: those of a large pack get theirs together. */
const youngMs = 86_400_000
const keysInOneQuery = 500

/** Removes trees that a crash left without a row; answers how many. */
export async function sweepTrees({ db, objects, clock }: Context, signal: AbortSignal): Promise<number> {
  let removed = 0
  let keys: string[] = []
  const flush = async (): Promise<void> => {
    const some = keys
    keys = []
    if (some.length === 0) return
    const rows = await db.read.selectFrom('piece').select('tree_key').where('tree_key', 'in', some).execute()
    const known = new Set(rows.map((row) => row.tree_key))
    for (const key of some) {
      if (known.has(key)) continue
      await objects.remove(key)
      removed++
    }
  }
  for await (const { key, modifiedAt } of objects.list(treePrefix)) {
    signal.throwIfAborted()
    if (modifiedAt > clock.now() - youngMs) continue
    if (keys.push(key) === keysInOneQuery) await flush()
  }
  await flush()
  return removed
}
