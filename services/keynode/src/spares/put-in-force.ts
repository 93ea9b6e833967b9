import type { ShardSet } from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import type { Context } from '../context.ts'
import {
  applyChange,
  confirmRestored,
  findAgreed,
  findRecordToChange,
  keepPrevious,
  openSpareShard,
  queryPeers,
  removeOtherSet,
  removeSpare,
  sealShard,
  writeChange,
} from '../shards/shards.ts'

/** A recovered shard of a spare set, and the set that it replaces. */
export type Received = { cid: string; setId: string; set: ShardSet; sealed: Uint8Array }

const nameChangeOf = (setId: string) => `${setId}:in-force`
const nameNode = ({ config }: Context) => `node:${config.node}`

/**
 * Puts this node's shard of a spare set in force, unless its owner saved another set or transferred the file meanwhile. The
 * replaced shard stays until all nodes have done so.
 * @throws CairnError DATA_DAMAGED
 */
export async function putSpareInForce(context: Context, { cid, setId, set, sealed }: Received): Promise<boolean> {
  const payload = openSpareShard(context, cid, set.id, sealed)
  return context.db.write(async (trx) => {
    const record = await findRecordToChange(context, trx, cid)
    if (record === undefined || record.row.set_id !== setId || record.row.state !== 'held') return false
    const spare = trx.updateTable('spare').set({ shard: null }).where('cid', '=', cid).where('set_id', '=', setId)
    const isKept = await spare.where('spare_id', '=', set.id).returning('cid').executeTakeFirst()
    if (isKept === undefined) return false
    const version = record.row.version + 1
    await keepPrevious(context, trx, cid)
    await applyChange(
      context,
      trx,
      record,
      {
        set_id: set.id,
        shard_set: JSON.stringify(set),
        sealed: sealShard(context, { cid, owner: record.row.owner, version }, payload),
        sealed_version: version,
      },
      { kind: 'repair', id: nameChangeOf(set.id), by: nameNode(context) },
    )
    return true
  })
}

/**
 * Creates the record of a file that this node has only a shard of, with the rights that three peers state alike. It
 * counts once they state the same again: a right that was revoked between is not restored.
 */
export async function createReceived(context: Context, { cid, setId, set, sealed }: Received): Promise<boolean> {
  const peers = await queryPeers(context, cid)
  const agreed = findAgreed(context, peers)
  if (agreed === undefined || agreed.setId !== set.id || agreed.state !== 'held') return false
  const payload = openSpareShard(context, cid, set.id, sealed)
  const at = context.clock.now()
  const { owner, version, digest, conditions, successor, sharedTo } = agreed
  const id = nameChangeOf(set.id)
  try {
    await context.db.write(async (trx) => {
      const values = { cid, cid_as_given: cid, owner, creator: owner, version, digest, conditions, successor }
      await trx
        .insertInto('key')
        .values({
          ...values,
          state: 'held',
          set_id: set.id,
          shard_set: JSON.stringify(set),
          sealed: sealShard(context, { cid, owner, version }, payload),
          sealed_version: version,
          change_kind: 'repair',
          change_id: id,
          created_at: at,
          updated_at: at,
          restored_at: at,
        })
        .execute()
      for (const address of sharedTo) await trx.insertInto('shared').values({ cid, address, created_at: at }).execute()
      const by_address = nameNode(context)
      await writeChange(trx, { cid, version, kind: 'repair', id, by_address, arguments: '{}', at })
      await trx.updateTable('spare').set({ shard: null }).where('cid', '=', cid).where('set_id', '=', setId).execute()
    })
  } catch (error) {
    // Its owner saved the key here meanwhile: that record counts.
    if (isUniqueViolation(error)) return false
    throw error
  }
  await confirmRestored(context, cid)
  return true
}

/** Destroys the replaced shard, and all parts: the old shards, wherever copies of them are, are worth nothing then. */
export async function finishReplacement(context: Context, { cid, setId }: Pick<Received, 'cid' | 'setId'>) {
  await context.db.write(async (trx) => {
    await removeOtherSet(trx, cid, setId)
    await removeSpare(trx, cid, setId)
  })
}
