import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { applyChange } from './change-record.ts'
import { askPeers, enoughNodes, type PeerStatement } from './peers.ts'
import { openShard, sealShard } from './seal.ts'
import { findOtherSets, findRecord, findRecordToChange, type Trx } from './store.ts'

/**
 * Puts a waiting set in force once three nodes hold it, and takes a first save for certain once three name the same owner.
 * Asks peers only where there is something to decide.
 */
export async function promoteRecord(context: Context, cid: string, known?: readonly PeerStatement[]): Promise<void> {
  const record = await findRecord(context.db.read, cid)
  if (record === undefined) return
  const pending = (await findOtherSets(context.db.read, cid)).filter(({ kind }) => kind === 'pending')
  if (pending.length === 0 && record.row.state !== 'provisional') return
  const enough = enoughNodes(context)
  const peers = known ?? (enough === 1 ? [] : await askPeers(context, cid))
  // The newest that three nodes hold: it came after all that they held before.
  const chosen = pending.find(({ set_id }) => peers.filter((peer) => holdsSet(peer, set_id)).length + 1 >= enough)
  if (chosen !== undefined) {
    try {
      await putInForce(context, cid, chosen.set_id, record.row.owner)
    } catch (error) {
      if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
      // The set in force is still good; its owner's repair saves the key anew.
      context.log.error({ err: error, cid }, 'a set that waits is damaged')
    }
  }
  if (record.row.state === 'provisional') {
    const agreeing = peers.filter(({ owner }) => owner === record.row.owner)
    if (agreeing.length + 1 >= enough) {
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
  }
}

/** Whether a peer has a set, in force or waiting. */
export function holdsSet({ setId, pendingSetIds }: PeerStatement, id: string): boolean {
  return setId === id || pendingSetIds.includes(id)
}

/** Makes another set the one in force; the one before is kept for its time. */
export async function putInForce(context: Context, cid: string, setId: string, by: string): Promise<boolean> {
  return context.db.write(async (trx) => {
    const record = await findRecordToChange(context, trx, cid)
    const other = (await findOtherSets(trx, cid)).find(({ set_id }) => set_id === setId)
    if (record === undefined || other === undefined) return false
    const { row } = record
    const payload = openShard(context, { cid, owner: other.owner, version: other.version }, other.sealed)
    const version = row.version + 1
    await trx.deleteFrom('other_set').where('cid', '=', cid).where('set_id', '=', setId).execute()
    // What waited before it is over: it would otherwise take its place later.
    await trx
      .deleteFrom('other_set')
      .where('cid', '=', cid)
      .where('kind', '=', 'pending')
      .where('saved_at', '<=', other.saved_at)
      .execute()
    if (row.sealed !== null && row.set_id !== setId) await keepPrevious(context, trx, cid)
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

async function keepPrevious(context: Context, trx: Trx, cid: string): Promise<void> {
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
