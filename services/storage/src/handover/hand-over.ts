import { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { writeCar } from '../gateway/gateway.ts'
import { isAnnounced } from '../ipni/ipni.ts'
import { hasDenied } from './check-below.ts'
import type { KuboClient } from './kubo-client.ts'

type Reader = Context['db']['read']

/** Roots per round of the worker. */
export const rootsPerRound = 50
/** Time after which a round begins no other root, in ms: withdrawals of the meantime are first in the next one. */
const roundMs = 30_000
/** Pauses before a root that failed is tried again; the last one repeats. */
const retryPausesMs = [10_000, 60_000, 10 * 60_000]
/** Maximum characters of a stored error. */
const maxErrorCharacters = 500

/**
 * Hands over what is to be found, and withdraws what was deleted or denied.
 * @returns the number of roots that were due
 */
export async function handOverDue(context: Context, kubo: KuboClient, signal: AbortSignal): Promise<number> {
  const { db, clock, packs, failures } = context
  const due = await db.read
    .selectFrom('handed_root')
    .selectAll()
    .where('due_at', '<=', clock.now())
    .orderBy('due_at')
    .limit(rootsPerRound)
    .execute()
  const end = performance.now() + roundMs
  for (const row of due) {
    if (signal.aborted || performance.now() > end) break
    const cid = CID.parse(row.cid)
    // Only if nothing changed meanwhile: what did stays due.
    const matching = { root_multihash: row.root_multihash, due_at: row.due_at }
    try {
      const announced = await isAnnounced(db.read, row.root_multihash)
      // Kubo would serve each block below it, too.
      const isWanted = announced && !(await hasDenied(context, cid, signal))
      if (!isWanted) {
        // Also what is not recorded as handed over: it may have been deleted, or this process ended, right after the pin.
        await kubo.unpin(cid, signal)
      } else if (row.is_handed === 0) {
        await kubo.importCar(writeCar({ source: packs }, { cid, blocks: [cid] }, { scope: 'all', signal }), signal)
        await kubo.pin(cid, signal)
      }
      const isKnown = await db.write(async (trx) => {
        if (announced) {
          // Denied content stays known, so that it is handed over once the rule is removed.
          const done = { is_handed: isWanted ? (1 as const) : (0 as const), due_at: null, tries: 0, error: null }
          await trx
            .updateTable('handed_root')
            .set(done)
            .where((where) => where.and(matching))
            .execute()
        } else {
          await trx
            .deleteFrom('handed_root')
            .where((where) => where.and(matching))
            .execute()
        }
        return (await findRoot(trx, row.root_multihash)) !== undefined
      })
      // Another replica, which had the lease while this process was asleep, withdrew it before the pin.
      if (isWanted && !isKnown) await kubo.unpin(cid, signal)
    } catch (error) {
      if (signal.aborted) break
      failures.failed('handover', error, 'failed to hand over content', { cid: row.cid })
      const pauseMs = retryPausesMs[Math.min(row.tries, retryPausesMs.length - 1)] ?? 0
      const message = (error instanceof Error ? error.message : String(error)).slice(0, maxErrorCharacters)
      await db.write((trx) =>
        trx
          .updateTable('handed_root')
          .set({ due_at: clock.now() + pauseMs, tries: row.tries + 1, error: message })
          .where((where) => where.and(matching))
          .execute(),
      )
    }
  }
  return due.length
}

function findRoot(trx: Reader, root: Uint8Array): Promise<{ cid: string } | undefined> {
  return trx.selectFrom('handed_root').select('cid').where('root_multihash', '=', root).executeTakeFirst()
}
