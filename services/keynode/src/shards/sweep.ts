import { CairnError, keyShardThreshold } from '@cairn/protocol'
import type { SettledClock } from '@cairn/service'
import type { Context } from '../context.ts'
import { enoughNodes, type PeerStatement, queryPeersCounted } from './peers/peers.ts'
import { holdsSet, promoteRecord } from './peers/promote.ts'
import { confirmRestored, followTransfer } from './peers/repair.ts'
import { removeSpare, removeSpares } from './spares.ts'
import { findOtherSets, findRecordToChange, removeOtherSet } from './store.ts'

/** How long sets that are not in force, and retired keys, are kept. */
const keepMs = 30 * 24 * 3_600_000
/** How long a first save may stay unconfirmed by three nodes. */
const provisionalMs = 24 * 3_600_000
const settleMs = 60_000
/** How far the clocks of replicas may differ. A later time was stored while a clock was ahead. */
const maxAheadMs = 3_600_000
/** Maximum number of records per round. */
const maxRecords = 100
/** Maximum number of restored records per round, whose keys this node does not serve until they are confirmed. */
const maxRestored = 1_000

/** Settles undecided records and destroys expired ones. The rest is left for the next round when `signal` fires. */
export type KeySweep = (signal: AbortSignal) => Promise<void>

/**
 * Each round continues after the last record of the previous one, so that undecided records do not block others.
 * @param settled the clock that decides what is destroyed
 */
export function createKeySweep(context: Context, settled: SettledClock = context.clock): KeySweep {
  let after = ''
  let afterRestored = ''
  let afterReplaced: ReplacedSet | undefined
  return async (signal) => {
    const now = settled.now()
    if (now !== undefined) await destroyOld(context, now)
    const restored = await findRestored(context, afterRestored)
    afterRestored = restored.length < maxRestored ? '' : (restored.at(-1) ?? '')
    for (const cid of restored) {
      if (signal.aborted) return
      await attempt(context, cid, () => confirmRestored(context, cid))
    }
    const replaced = now === undefined ? [] : await findReplaced(context, now - keepMs, afterReplaced)
    afterReplaced = replaced.length < maxRecords ? undefined : replaced.at(-1)
    for (const set of replaced) {
      if (signal.aborted) return
      await attempt(context, set.cid, () => dropReplaced(context, set))
    }
    const cids = await findUndecided(context, after)
    if (cids.length < maxRecords) after = ''
    for (const cid of cids) {
      if (signal.aborted) return
      await attempt(context, cid, async () => {
        const { statements, empty } = await queryPeersCounted(context, cid)
        await promoteRecord(context, cid, statements)
        await followTransfer(context, cid, statements)
        if (now !== undefined) await dropLost(context, { cid, peers: statements, empty, now })
      })
      if (cids.length === maxRecords) after = cid
    }
  }
}

/** Without a database nothing can be settled; a single failing record must not block others. */
async function attempt(context: Context, cid: string, settle: () => Promise<void>): Promise<void> {
  try {
    await settle()
  } catch (error) {
    if (CairnError.is(error, 'UNAVAILABLE')) throw error
    context.failures.failed('settle', error, 'failed to settle a record', { cid })
  }
}

/** Returns records from a backup that are unconfirmed. */
async function findRestored({ db }: Context, after: string): Promise<string[]> {
  const rows = await db.read
    .selectFrom('key')
    .select('cid')
    .where('restored_at', 'is not', null)
    .where('cid', '>', after)
    .orderBy('cid')
    .limit(maxRestored)
    .execute()
  return rows.map(({ cid }) => cid)
}

async function destroyOld({ db }: Context, now: number): Promise<void> {
  const before = now - keepMs
  await db.write(async (trx) => {
    // A restored record may have been retired only at the time of its backup: it is confirmed first.
    const destroyed = trx
      .selectFrom('key')
      .select('cid')
      .where('state', '=', 'retired')
      .where('sealed', 'is not', null)
      .where('restored_at', 'is', null)
    for (const table of ['other_set', 'spare'] as const)
      await trx
        .deleteFrom(table)
        .where('cid', 'in', destroyed.where('updated_at', '<', before))
        .execute()
    // Received for a file whose record never came.
    await trx
      .deleteFrom('spare')
      .where('parts', 'is', null)
      .where('saved_at', '<', before)
      .where('cid', 'not in', trx.selectFrom('key').select('cid'))
      .execute()
    await trx
      .updateTable('key')
      .set({ sealed: null })
      .where('state', '=', 'retired')
      .where('sealed', 'is not', null)
      .where('restored_at', 'is', null)
      .where('updated_at', '<', before)
      .execute()
  })
}

/** A set that another one replaced. */
type ReplacedSet = { cid: string; set_id: string; saved_at: number }

/** Returns sets that were replaced before a time, in the order of the index. A record has at most one. */
async function findReplaced(
  { db }: Context,
  before: number,
  after: Pick<ReplacedSet, 'cid' | 'saved_at'> = { cid: '', saved_at: 0 },
): Promise<ReplacedSet[]> {
  return db.read
    .selectFrom('other_set')
    .select(['cid', 'set_id', 'saved_at'])
    .where('kind', '=', 'previous')
    .where('saved_at', '<', before)
    .where('saved_at', '>=', after.saved_at)
    .where(({ eb, or }) => or([eb('saved_at', '>', after.saved_at), eb('cid', '>', after.cid)]))
    .orderBy('saved_at')
    .orderBy('cid')
    .limit(maxRecords)
    .execute()
}

/**
 * Destroys a set that was replaced, unless another node has it in force. The set after it may have come into force by the word of
 * a node that lies, and then too few nodes have its shards.
 */
async function dropReplaced(context: Context, { cid, set_id }: ReplacedSet): Promise<void> {
  const { statements, empty } = await queryPeersCounted(context, cid)
  const answered = statements.length + empty
  const isKnown = answered >= Math.min(keyShardThreshold, context.config.peers.length)
  if (!isKnown || statements.some(({ setId }) => setId === set_id)) return
  await context.db.write((trx) =>
    trx
      .deleteFrom('other_set')
      .where('cid', '=', cid)
      .where('set_id', '=', set_id)
      .where('kind', '=', 'previous')
      .execute(),
  )
}

/** Returns unconfirmed records, and those with a waiting set. */
async function findUndecided({ db, clock }: Context, after: string): Promise<string[]> {
  const now = clock.now()
  const [before, ahead] = [now - settleMs, now + maxAheadMs]
  const waiting = db.read
    .selectFrom('other_set')
    .select('cid')
    .where('kind', '=', 'pending')
    .where(({ eb, or }) => or([eb('saved_at', '<', before), eb('saved_at', '>', ahead)]))
  const rows = await db.read
    .selectFrom('key')
    .select('cid')
    .where(({ eb, or, and }) =>
      or([
        and([eb('state', '=', 'provisional'), or([eb('updated_at', '<', before), eb('updated_at', '>', ahead)])]),
        eb('cid', 'in', waiting),
      ]),
    )
    .where('cid', '>', after)
    .orderBy('cid')
    .limit(maxRecords)
    .execute()
  return rows.map(({ cid }) => cid)
}

/**
 * Removes a first save that never reached three nodes, and a waiting set that too few nodes hold to open anything, or that an
 * earlier owner saved.
 */
async function dropLost(
  context: Context,
  { cid, peers, empty, now }: { cid: string; peers: readonly PeerStatement[]; empty: number; now: number },
): Promise<void> {
  const enough = enoughNodes(context)
  await context.db.write(async (trx) => {
    const record = await findRecordToChange(context, trx, cid)
    if (record === undefined) return
    const { owner, state, set_id: ownSet, created_at } = record.row
    // Three nodes name another owner or hold nothing: this owner has at most two, which open nothing.
    const against = peers.filter((peer) => peer.owner !== owner).length + empty
    // Three nodes hold the same set under one other owner: this node missed a transfer, and has a shard of the key in force.
    const ofSet = peers.filter((peer) => holdsSet(peer, ownSet))
    const isOfNext = ofSet.some(({ owner: next }) => ofSet.filter((peer) => peer.owner === next).length >= enough)
    if (state === 'provisional' && against >= enough && !isOfNext && created_at < now - provisionalMs) {
      await trx.deleteFrom('key').where('cid', '=', cid).execute()
      await removeSpares(trx, cid)
      return
    }
    for (const { set_id, kind, saved_at, owner: savedBy } of await findOtherSets(trx, cid)) {
      if (kind !== 'pending' || saved_at >= now - keepMs) continue
      const without = peers.filter((peer) => !holdsSet(peer, set_id)).length + empty
      // Nodes that did not answer may hold it.
      if (savedBy === owner && context.config.peers.length + 1 - without >= enough) continue
      await removeOtherSet(trx, cid, set_id)
      await removeSpare(trx, cid, set_id)
    }
  })
}
