import { CairnError } from '@cairn/protocol'
import type { Context } from '../../context.ts'
import { applyChange } from '../changes/change-record.ts'
import { openShard, sealShard } from '../seal.ts'
import { keepSparesOf } from '../spares.ts'
import { findOtherSets, findRecord, findRecordToChange, findWaitingSets, removeOtherSet, type Trx } from '../store.ts'
import { enoughNodes, type PeerStatement, queryPeers, queryPeersUntil } from './peers.ts'
import { isUnconfirmed } from './restored.ts'

/**
 * Puts a waiting set in force once three nodes hold it, and confirms a first save once three name the same owner.
 * Queries peers only when there is something to decide.
 */
export async function promoteRecord(context: Context, cid: string, known?: readonly PeerStatement[]): Promise<void> {
  const record = await findRecord(context.db.read, cid)
  // A restored record follows its peers; its own claims count for nothing.
  if (record === undefined || isUnconfirmed(record)) return
  const pending = await findWaitingSets(context.db.read, record.row)
  if (pending.length === 0 && record.row.state !== 'provisional') return
  const enough = enoughNodes(context)
  const namesOwner = ({ owner }: PeerStatement) => owner === record.row.owner
  // All peers must state whether a set also waits elsewhere; two others settle who owns a first save.
  const others = enough - 1
  const isSettled = (stated: readonly PeerStatement[]) => stated.filter(namesOwner).length >= others
  const peers =
    known ??
    (pending.length > 0 ? await queryPeers(context, cid) : await queryPeersUntil(context, cid, others, isSettled))
  // The newest set that three nodes hold supersedes all older ones.
  const chosen = pending.find(({ set_id }) => peers.filter((peer) => holdsSet(peer, set_id)).length + 1 >= enough)
  if (chosen !== undefined) {
    try {
      await putInForce(context, cid, chosen.set_id, { owner: record.row.owner, by: record.row.owner })
    } catch (error) {
      if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
      // The set in force still works; its owner's repair saves the key again.
      context.log.error({ err: error, cid }, 'pending shard is damaged')
    }
  }
  if (record.row.state !== 'provisional' || !isSettled(peers)) return
  await context.db.write((trx) =>
    trx
      .updateTable('key')
      .set({ state: 'held' })
      .where('cid', '=', cid)
      .where('owner', '=', record.row.owner)
      .where('state', '=', 'provisional')
      .execute(),
  )
}

/** Whether a peer holds a set, in force or waiting. */
export function holdsSet({ setId, pendingSetIds }: PeerStatement, id: string): boolean {
  return setId === id || pendingSetIds.includes(id)
}

/**
 * Puts another set in force; the previous one is kept for a period.
 * @param owner for whom this was decided: a transfer may have arrived while the peers were queried
 * @returns false if there is no such set, or the file has another owner
 */
export async function putInForce(
  context: Context,
  cid: string,
  setId: string,
  { owner, by }: { owner: string; by: string },
): Promise<boolean> {
  return context.db.write(async (trx) => {
    const record = await findRecordToChange(context, trx, cid)
    const other = (await findOtherSets(trx, cid)).find(({ set_id }) => set_id === setId)
    if (record === undefined || other === undefined || record.row.owner !== owner) return false
    const { row } = record
    const payload = openShard(context, { cid, owner: other.owner, version: other.version }, other.sealed)
    const version = row.version + 1
    await removeOtherSet(trx, cid, setId)
    // Older waiting sets are removed: they would otherwise replace it later.
    for (const older of await findOtherSets(trx, cid)) {
      if (older.kind !== 'pending' || older.saved_at > other.saved_at) continue
      await removeOtherSet(trx, cid, older.set_id)
    }
    if (row.sealed !== null && row.set_id !== setId) await keepPrevious(context, trx, cid)
    // The spare set of a replaced set would bring back its key.
    const waiting = await findWaitingSets(trx, row)
    await keepSparesOf(trx, cid, [setId, ...waiting.map(({ set_id }) => set_id)])
    await applyChange(
      context,
      trx,
      record,
      {
        set_id: setId,
        shard_set: other.shard_set,
        sealed: sealShard(context, { cid, owner: row.owner, version }, payload),
        sealed_version: version,
      },
      { kind: 'save', id: `${setId}:in-force`, by },
    )
    return true
  })
}

/** Keeps the set in force as the previous one, and destroys the one before. */
export async function keepPrevious(context: Context, trx: Trx, cid: string): Promise<void> {
  const record = await findRecord(trx, cid)
  if (record === undefined || record.row.sealed === null) return
  const { row } = record
  await trx.deleteFrom('other_set').where('cid', '=', cid).where('kind', '=', 'previous').execute()
  await trx
    .insertInto('other_set')
    .values({
      cid,
      set_id: row.set_id,
      kind: 'previous',
      shard_set: row.shard_set,
      sealed: row.sealed ?? new Uint8Array(),
      owner: row.owner,
      version: row.sealed_version,
      saved_at: context.clock.now(),
    })
    .execute()
}
