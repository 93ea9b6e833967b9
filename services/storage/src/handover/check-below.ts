import { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { walkNodes, withdrawalDueAt } from '../ipni/ipni.ts'

/** Time per round for reading roots again, in ms: less than half of it, so that it delays nothing else by much. */
const roundMs = 2000
const rowsAtOnce = 50

/** Whether a root or a block below it is denied. Reads all nodes of the DAG. @throws as `walkNodes` */
export async function hasDenied(
  { packs, denylist }: Pick<Context, 'packs' | 'denylist'>,
  root: CID,
  signal: AbortSignal,
): Promise<boolean> {
  if (denylist.size === 0) return false
  if (denylist.denies(root)) return true
  for await (const cid of walkNodes({ packs }, root, { signal })) if (denylist.denies(cid)) return true
  return false
}

/** The place of a round in the roots that were handed over, in their order. */
type Place = {
  /** Changes of the rules that are applied from `after` on. */
  changes: number
  after: Uint8Array
  /** Where it was at the last change of the rules: it ends there after it went around. */
  stopAt: Uint8Array
  isAround: boolean
}

/**
 * Finds blocks that were denied after the root above them was handed over. Rules may be hashes, so only a DAG shows whether one
 * matches: after each change, the check traverses all roots once, for two seconds per round.
 */
export type BelowCheck = { run(signal: AbortSignal): Promise<void> }

/** Creates a check that begins with all roots: rules may have changed while no process ran. */
export function createBelowCheck(context: Context): BelowCheck {
  const { db, denylist, clock } = context
  const start = new Uint8Array()
  let place: Place | undefined

  const findRows = ({ after, stopAt, isAround }: Place) => {
    let query = db.read
      .selectFrom('handed_root')
      .select(['root_multihash', 'cid'])
      .where('is_handed', '=', 1)
      .where('root_multihash', '>', after)
    if (isAround) query = query.where('root_multihash', '<=', stopAt)
    return query.orderBy('root_multihash').limit(rowsAtOnce).execute()
  }
  const check = async (root: Uint8Array, cid: string, signal: AbortSignal): Promise<void> => {
    const isRight = await hasDenied(context, CID.parse(cid), signal).then(
      (isDenied) => !isDenied,
      // The next round reads it again, and records why it cannot be read.
      () => false,
    )
    if (isRight || signal.aborted) return
    const due_at = withdrawalDueAt(clock.now())
    await db.write((trx) => trx.updateTable('handed_root').set({ due_at }).where('root_multihash', '=', root).execute())
  }

  return {
    async run(signal) {
      if (place?.changes !== denylist.changes) {
        const after = place?.after ?? start
        place = { changes: denylist.changes, after, stopAt: after, isAround: false }
      }
      const end = performance.now() + roundMs
      while (!(place.isAround && Buffer.compare(place.after, place.stopAt) >= 0)) {
        const rows = denylist.size === 0 ? [] : await findRows(place)
        for (const { root_multihash: root, cid } of rows) {
          await check(root, cid, signal)
          if (signal.aborted) return
          place.after = root
          if (performance.now() > end) return
        }
        if (rows.length === rowsAtOnce) continue
        if (place.isAround) place.after = place.stopAt
        else place = { ...place, after: start, isAround: true }
      }
    },
  }
}
