import { isWholeSet } from '@cairn/crypto'
import { CairnError, type KeyShard, type ShardSet, type Spare, spareSchema } from '@cairn/protocol'
import { type SqlBool, sql } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { openBytes, sealBytes } from '../seal-bytes.ts'
import type { Trx } from './store.ts'

/** Identity of a sealed value of the spare table: moved to another place, it cannot be opened. */
export type SpareSubject = { cid: string; spareId: string; column: 'parts' | 'shard' }

type Sealing = Pick<Context, 'config' | 'keys'>

function bound({ config }: Sealing, { cid, spareId, column }: SpareSubject): Buffer {
  return Buffer.from(['cairn/spare/1', config.networkName, config.node, cid, spareId, column].join('|'))
}

/** Seals bytes of the spare table for this node's disk. */
export function sealSpare(context: Sealing, subject: SpareSubject, bytes: Uint8Array): Uint8Array {
  return sealBytes(context.keys, bound(context, subject), bytes)
}

/** Opens a seal of the spare table. @throws CairnError DATA_DAMAGED */
export function openSpare(context: Sealing, subject: SpareSubject, sealed: Uint8Array): Uint8Array {
  try {
    return openBytes(context.keys, bound(context, subject), sealed)
  } catch (cause) {
    throw new CairnError('DATA_DAMAGED', {
      message: 'The spare shards on this node are damaged',
      hint: 'The key itself is not affected. Its owner can create new ones with `cairn keys repair`.',
      cause,
    })
  }
}

const partsSchema = spareSchema.entries.parts

/** Opens this node's parts of a spare set, in the order of the nodes. @throws CairnError DATA_DAMAGED */
export function openParts(context: Sealing, cid: string, spareId: string, sealed: Uint8Array): KeyShard[] {
  const bytes = openSpare(context, { cid, spareId, column: 'parts' }, sealed)
  return v.parse(partsSchema, JSON.parse(Buffer.from(bytes).toString('utf8')))
}

/** Seals this node's shard of a spare set. */
export function sealSpareShard(context: Sealing, cid: string, spareId: string, shard: KeyShard): Uint8Array {
  return sealSpare(context, { cid, spareId, column: 'shard' }, Buffer.from(JSON.stringify(shard)))
}

/** Opens this node's shard of a spare set. @throws CairnError DATA_DAMAGED */
export function openSpareShard(context: Sealing, cid: string, spareId: string, sealed: Uint8Array): KeyShard {
  const bytes = openSpare(context, { cid, spareId, column: 'shard' }, sealed)
  return v.parse(partsSchema.item, JSON.parse(Buffer.from(bytes).toString('utf8')))
}

/** Rejects a spare set that no node could use. @throws CairnError SHARD_MISMATCH */
export function checkSpare(set: ShardSet | undefined, spare: Spare | undefined): void {
  if (spare === undefined) return
  if (set !== undefined && spare.set.id !== set.id && isWholeSet(spare.set)) return
  throw new CairnError('SHARD_MISMATCH', { message: 'The ID of the spare set does not match its commitments' })
}

/** Stores the parts of a spare set next to the set that it belongs to. A spare set that is in use stays. */
export async function keepSpare(
  context: Context,
  trx: Trx,
  cid: string,
  setId: string,
  spare: Spare | undefined,
): Promise<void> {
  if (spare === undefined) return
  const values = {
    spare_id: spare.set.id,
    spare_set: JSON.stringify(spare.set),
    parts: sealSpare(
      context,
      { cid, spareId: spare.set.id, column: 'parts' },
      Buffer.from(JSON.stringify(spare.parts)),
    ),
    saved_at: context.clock.now(),
  }
  await trx
    .insertInto('spare')
    .values({ cid, set_id: setId, shard: null, ...values })
    .onConflict((conflict) => conflict.columns(['cid', 'set_id']).doUpdateSet(values).where('spare.shard', 'is', null))
    .execute()
}

/** Whether no transfer followed a spare set. Earlier versions kept those of former owners, which could be of another key. */
export const isOfOwner = sql<SqlBool>`not exists (
  select 1 from change where change.cid = spare.cid and change.at > spare.saved_at
    and change.kind in ('transfer', 'repair') and change.arguments like '%"to":%')`

/** Whether this node has parts of a spare set for the set in force. */
export async function hasSpare(db: Trx, { cid, set_id }: { cid: string; set_id: string }): Promise<boolean> {
  const found = db
    .selectFrom('spare')
    .select('cid')
    .where('cid', '=', cid)
    .where('set_id', '=', set_id)
    .where(isOfOwner)
  return (await found.where('parts', 'is not', null).executeTakeFirst()) !== undefined
}

/** Destroys the parts that were saved with a set which is gone. */
export async function removeSpare(trx: Trx, cid: string, setId: string): Promise<void> {
  await trx.deleteFrom('spare').where('cid', '=', cid).where('set_id', '=', setId).execute()
}

/** Destroys all parts, and the shards that were recovered from parts. */
export async function removeSpares(trx: Trx, cid: string): Promise<void> {
  await trx.deleteFrom('spare').where('cid', '=', cid).execute()
}

/** Destroys the parts that were saved with any other than these sets. */
export async function keepSparesOf(trx: Trx, cid: string, setIds: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('spare')
    .where('cid', '=', cid)
    .where('set_id', 'not in', [...setIds])
    .execute()
}
