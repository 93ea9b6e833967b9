import type { Selectable } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { writeCar } from '../gateway/gateway.ts'
import { isAnnounced, withdrawalDueAt } from '../ipni/ipni.ts'
import { hasDenied } from './check-below.ts'
import type { KuboClient } from './kubo-client.ts'

type Reader = Context['db']['read']

/** Roots per round of the worker. */
const rootsPerRound = 50
/** Time after which a round begins no other root, in ms: withdrawals of the meantime are first in the next one. */
const roundMs = 30_000
/** Pauses before a root that failed is tried again; the last one repeats. */
const retryPausesMs = [10_000, 60_000, 10 * 60_000]
/** Maximum characters of a stored error. */
const maxErrorCharacters = 500

type HandedRow = Selectable<Schema['handed_root']>

/** The roots that a round is handing over, by CID: withdrawing one stops it first. */
export type Imports = Map<string, { stop(): void; readonly ended: Promise<void> }>

/**
 * Hands over new roots, and withdraws deleted or denied ones.
 * @returns the number of roots that were due
 */
export async function handOverDue(
  context: Context,
  kubo: KuboClient,
  signal: AbortSignal,
  imports: Imports = new Map(),
): Promise<number> {
  const { db, clock } = context
  const now = clock.now()
  const due = await db.read
    .selectFrom('handed_root')
    .selectAll()
    .where('due_at', '<=', now)
    .where('due_at', '>=', withdrawalDueAt(now))
    .orderBy('due_at')
    .limit(rootsPerRound)
    .execute()
  const end = performance.now() + roundMs
  for (const row of due) {
    if (signal.aborted || performance.now() > end) break
    const stop = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    imports.set(row.cid, { stop: () => stop.abort(), ended })
    try {
      await attempt(context, row, AbortSignal.any([signal, stop.signal]), (own) => handOver(context, kubo, row, own))
    } finally {
      imports.delete(row.cid)
      resolve()
    }
  }
  return due.length
}

/**
 * Withdraws deleted or denied content while {@link handOverDue} runs, whose imports of large DAGs take hours.
 * @param imports those in progress
 */
export async function withdrawDue(
  context: Context,
  kubo: KuboClient,
  signal: AbortSignal,
  imports: Imports,
): Promise<void> {
  const due = await context.db.read
    .selectFrom('handed_root')
    .selectAll()
    // Only withdrawals, because all roots of the service may be waiting to be handed over.
    .where('due_at', '<', 0)
    .where('due_at', '>=', withdrawalDueAt(context.clock.now()))
    .orderBy('due_at')
    .limit(rootsPerRound)
    .execute()
  for (const row of due) {
    if (signal.aborted) return
    await attempt(context, row, signal, async (own) => {
      const { announced, isWanted } = await inspect(context, row, own)
      if (!isWanted) {
        const running = imports.get(row.cid)
        running?.stop()
        await running?.ended
        await kubo.unpin(CID.parse(row.cid), own)
        await record(context, row, { announced, isWanted })
      } else if (row.is_handed === 1) await record(context, row, { announced, isWanted })
      // No longer denied, so it is handed over again.
      else await postpone(context, row, { due_at: context.clock.now() })
    })
  }
}

async function handOver(context: Context, kubo: KuboClient, row: HandedRow, signal: AbortSignal): Promise<void> {
  const cid = CID.parse(row.cid)
  const { announced, isWanted } = await inspect(context, row, signal)
  if (!isWanted) {
    // Includes roots that are not recorded as handed over: one may have been deleted, or this process ended, right after the pin.
    await kubo.unpin(cid, signal)
  } else if (row.is_handed === 0) {
    const source = context.packs
    await kubo.importCar(writeCar({ source }, { cid, blocks: [cid] }, { scope: 'all', signal }), signal)
    await kubo.pin(cid, signal)
  }
  const isKnown = await record(context, row, { announced, isWanted })
  // Another replica, which had the lease while this process was asleep, withdrew it before the pin.
  if (isWanted && !isKnown) await kubo.unpin(cid, signal)
}

/** Whether a root should and may be available. Kubo would also serve each block below it. */
async function inspect(
  context: Context,
  row: HandedRow,
  signal: AbortSignal,
): Promise<{ announced: boolean; isWanted: boolean }> {
  const announced = await isAnnounced(context.db.read, row.root_multihash)
  return { announced, isWanted: announced && !(await hasDenied(context, CID.parse(row.cid), signal)) }
}

/**
 * Records that a root is in its final state, unless it changed in the meantime: then it stays due.
 * @returns whether the root is still known
 */
function record(
  { db }: Context,
  row: HandedRow,
  { announced, isWanted }: { announced: boolean; isWanted: boolean },
): Promise<boolean> {
  return db.write(async (trx) => {
    if (announced) {
      // Denied content stays known, so that it is handed over once the rule is removed.
      const done = { is_handed: isWanted ? (1 as const) : (0 as const), due_at: null, tries: 0, error: null }
      await trx
        .updateTable('handed_root')
        .set(done)
        .where((where) => where.and(matching(row)))
        .execute()
    } else {
      await trx
        .deleteFrom('handed_root')
        .where((where) => where.and(matching(row)))
        .execute()
    }
    return (await findRoot(trx, row.root_multihash)) !== undefined
  })
}

async function postpone(
  { db }: Context,
  row: HandedRow,
  change: { due_at: number; tries?: number; error?: string },
): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('handed_root')
      .set(change)
      .where((where) => where.and(matching(row)))
      .execute(),
  )
}

/** Runs work on a root, and records a failure. An abort is not a failure: the root stays due. */
async function attempt(
  context: Context,
  row: HandedRow,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await work(signal)
  } catch (error) {
    if (signal.aborted) return
    context.failures.failed('handover', error, 'failed to hand over content', { cid: row.cid })
    const pauseMs = retryPausesMs[Math.min(row.tries, retryPausesMs.length - 1)] ?? 0
    const message = (error instanceof Error ? error.message : String(error)).slice(0, maxErrorCharacters)
    const at = context.clock.now() + pauseMs
    // One that is a withdrawal stays one, so that its next attempt does not wait for an import either.
    const dueAt = (row.due_at ?? 0) < 0 ? withdrawalDueAt(at) : at
    await postpone(context, row, { due_at: dueAt, tries: row.tries + 1, error: message })
  }
}

/** The row as it was read. */
const matching = ({ root_multihash, due_at }: HandedRow) => ({ root_multihash, due_at })

function findRoot(trx: Reader, root: Uint8Array): Promise<{ cid: string } | undefined> {
  return trx.selectFrom('handed_root').select('cid').where('root_multihash', '=', root).executeTakeFirst()
}
