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
  const pending = (await findOtherSets(context.db.read, cid)).find(({ kind }) => kind === 'pending')
  if (pending === undefined && record.row.state !== 'provisional') return
  const enough = enoughNodes(context)
  const peers = known ?? (enough === 1 ? [] : await askPeers(context, cid))
  if (pending !== undefined) {
    const holders = peers.filter(({ setId, pendingSetId }) => [setId, pendingSetId].includes(pending.set_id))
    if (holders.length + 1 >= enough) await putInForce(context, cid, pending.set_id, record.row.owner)
  }
  if (record.row.state === 'provisional') {
    const agreeing = peers.filter(({ owner }) => owner === record.row.owner)
    if (agreeing.length + 1 >= enough) {
      await context.db.write((trx) =>
        trx
          .updateTable('key')
          .set({ state: 'held' })
          .where('cid', '=', cid)
          .where('state', '=', 'provisional')
          .execute(),
      )
    }
  }
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
