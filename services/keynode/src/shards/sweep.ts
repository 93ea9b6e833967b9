import type { Context } from '../context.ts'
import { askPeers, enoughNodes } from './peers.ts'
import { promoteRecord } from './promote.ts'

/** How long sets that are not in force, and retired keys, are kept. */
const keepMs = 30 * 24 * 3_600_000
/** How long a first save may stay unconfirmed before another owner's claim ends it. */
const provisionalMs = 24 * 3_600_000
const settleMs = 60_000
/** Records looked at in one round: what is left comes next time. */
const recordsMost = 100

/** Settles what is undecided, and destroys what is over. What is left when `signal` fires comes next time. */
export async function sweepKeys(context: Context, signal: AbortSignal): Promise<void> {
  const { db, clock } = context
  const now = clock.now()
  await db.write(async (trx) => {
    await trx
      .deleteFrom('other_set')
      .where('kind', '=', 'previous')
      .where('saved_at', '<', now - keepMs)
      .execute()
    await trx
      .updateTable('key')
      .set({ sealed: null })
      .where('state', '=', 'retired')
      .where('sealed', 'is not', null)
      .where('updated_at', '<', now - keepMs)
      .execute()
  })
  const undecided = await db.read
    .selectFrom('key')
    .select(['cid', 'owner', 'created_at'])
    .where('state', '=', 'provisional')
    .where('updated_at', '<', now - settleMs)
    .orderBy('updated_at')
    .limit(recordsMost)
    .execute()
  for (const { cid, owner, created_at } of undecided) {
    if (signal.aborted) return
    const peers = await askPeers(context, cid)
    await promoteRecord(context, cid, peers)
    const others = Map.groupBy(peers, (peer) => peer.owner)
    const isTaken = [...others].some(([other, nodes]) => other !== owner && nodes.length >= enoughNodes(context))
    if (isTaken && created_at < now - provisionalMs)
      await db.write((trx) => trx.deleteFrom('key').where('cid', '=', cid).where('state', '=', 'provisional').execute())
  }
}
