import { fitsCommitment, isWholeSet } from '@cairn/crypto'
import {
  CairnError,
  type KeyShard,
  maxKeysPerOwner,
  maxSharedAddresses,
  type ShardSet,
  type Spare,
  zeroAddress,
} from '@cairn/protocol'
import { ConflictError, isUniqueViolation } from '@cairn/service'
import type { Caller, Context } from '../../context.ts'
import { writeChangeOnce } from '../../sessions/check-proof.ts'
import { openShard, sealShard } from '../seal.ts'
import { checkSpare, keepSpare, removeSpare } from '../spares.ts'
import {
  digestOf,
  findOtherSets,
  findRecordToChange,
  isCreatorFull,
  type KeyRecord,
  type KeyRow,
  removeOtherSet,
  type Trx,
  writeChange,
} from '../store.ts'
import { applyChange, nameChange, requireOwner } from './change-record.ts'
import { isLeftBy } from './ownerless.ts'

/** A shard to save. */
export type SavedShard = {
  /** The CID in canonical form, and as the caller wrote it. */
  cid: string
  cidAsGiven: string
  payload: KeyShard
  set: ShardSet | undefined
  /** Parts of a spare set, which replaces the shards without the owner. */
  spare?: Spare | undefined
  sharedTo: readonly string[]
  /** JSON of the conditions saved with it. */
  conditions?: string | undefined
  /** Whether the rights become immutable: `decryptionType` ACCESS_CONDITIONS. */
  isOwnerless?: boolean
}

/**
 * Saves this node's shard. The first account to save owns the CID; the owner may save another set later, which waits
 * beside the one in force until three nodes hold it.
 * @throws CairnError ACCESS_DENIED, SHARD_MISMATCH, KEY_LIMIT
 */
export async function saveRecord(
  context: Context,
  caller: Caller,
  shard: SavedShard,
): Promise<{ version: number; waits?: boolean }> {
  checkSet(context, shard)
  checkSpare(shard.set, shard.spare)
  // Shares could never be revoked again, and only the conditions must count.
  const sharedTo = shard.isOwnerless ? [] : [...new Set(shard.sharedTo)].filter((address) => address !== caller.address)
  if (sharedTo.length > maxSharedAddresses)
    throw new CairnError('KEY_LIMIT', { details: { limit: maxSharedAddresses } })
  // The challenge that all five calls share identifies a set without a name.
  const setId = shard.set?.id ?? `auth:${caller.challengeId}`
  const wanted = { ...shard, sharedTo, setId }
  return writeChangeOnce(context, caller, async (trx) => {
    const record = await findRecordToChange(context, trx, shard.cid)
    return record === undefined ? insert(context, trx, caller, wanted) : saveAgain(context, trx, caller, record, wanted)
  })
}

/** Rejects a shard that does not match its commitments while the owner can still fix it. */
function checkSet({ config }: Context, { set, payload }: SavedShard): void {
  if (set === undefined) return
  if (!isWholeSet(set)) throw new CairnError('SHARD_MISMATCH', { message: 'The set ID does not match its commitments' })
  if (!fitsCommitment(set, config.node, payload)) throw new CairnError('SHARD_MISMATCH')
}

type Wanted = SavedShard & { setId: string }

/** Maximum number of waiting sets per CID; after repeated interruptions the newest are kept. */
const maxWaitingSets = 8

async function insert(context: Context, trx: Trx, caller: Caller, wanted: Wanted): Promise<{ version: number }> {
  if (await isCreatorFull(trx, caller.address, maxKeysPerOwner))
    throw new CairnError('KEY_LIMIT', { details: { limit: maxKeysPerOwner } })
  const owner = wanted.isOwnerless ? zeroAddress : caller.address
  const at = context.clock.now()
  const version = 1
  const conditions = wanted.conditions ?? null
  const rights = {
    owner,
    conditions,
    set_id: wanted.setId,
    successor: null,
    isRetired: false,
    sharedTo: wanted.sharedTo,
  }
  const kind = wanted.conditions === undefined ? 'save' : 'conditions'
  const id = nameChange(caller, kind)
  try {
    await trx
      .insertInto('key')
      .values({
        cid: wanted.cid,
        cid_as_given: wanted.cidAsGiven,
        owner,
        creator: caller.address,
        version,
        state: 'provisional',
        set_id: wanted.setId,
        shard_set: wanted.set === undefined ? null : JSON.stringify(wanted.set),
        sealed: sealShard(context, { cid: wanted.cid, owner, version }, wanted.payload),
        sealed_version: version,
        conditions,
        successor: null,
        digest: digestOf(rights),
        change_kind: kind,
        change_id: id,
        created_at: at,
        updated_at: at,
      })
      .execute()
  } catch (error) {
    // Another request was first: run again, the record exists then.
    if (isUniqueViolation(error)) throw new ConflictError('The record was created in the meantime', { cause: error })
    throw error
  }
  await keepSpare(context, trx, wanted.cid, wanted.setId, wanted.spare)
  for (const address of wanted.sharedTo)
    await trx.insertInto('shared').values({ cid: wanted.cid, address, created_at: at }).execute()
  await writeChange(trx, { cid: wanted.cid, version, kind, id, by_address: caller.address, arguments: '{}', at })
  return { version }
}

async function saveAgain(
  context: Context,
  trx: Trx,
  caller: Caller,
  record: KeyRecord,
  wanted: Wanted,
): Promise<{ version: number; waits?: boolean }> {
  const { row } = record
  const kind = wanted.conditions === undefined ? 'save' : 'conditions'
  const id = nameChange(caller, kind)
  // This exact change made it ownerless: the repeated call has no owner any more.
  if (await hasMadeOwnerless(context, trx, row, { ...wanted, id, by: caller.address })) return { version: row.version }
  requireOwner(record, caller)
  const isSame = row.set_id === wanted.setId && isSamePayload(context, inForce(row), wanted.payload)
  if (!isSame) await refuseSameName(context, trx, record, wanted)
  const owner = wanted.isOwnerless ? zeroAddress : row.owner
  if (!isSame) await keepPending(context, trx, record, wanted, owner)
  await keepSpare(context, trx, wanted.cid, wanted.setId, wanted.spare)
  const version = row.version + 1
  const changed = {
    ...(wanted.conditions === undefined ? {} : { conditions: wanted.conditions }),
    ...(row.state === 'retired' ? { state: 'held' as const, successor: null } : {}),
    ...(owner === row.owner || row.sealed === null ? {} : reseal(context, record, owner, version)),
    sharedTo: wanted.isOwnerless ? [] : [...new Set([...record.sharedTo, ...wanted.sharedTo])],
  }
  const { version: reached } = await applyChange(context, trx, record, changed, { kind, id, by: caller.address })
  return isSame ? { version: reached } : { version: reached, waits: true }
}

/** Whether a call repeats the one that made a record ownerless, with the same conditions and the same shard. */
async function hasMadeOwnerless(
  context: Context,
  trx: Trx,
  row: KeyRow,
  wanted: Wanted & { id: string; by: string },
): Promise<boolean> {
  const { id, by, conditions } = wanted
  if (wanted.isOwnerless !== true || !(await isLeftBy(trx, row, { id, by, conditions }))) return false
  const sets = [inForce(row), ...(await findOtherSets(trx, row.cid))]
  return sets.some((kept) => kept.set_id === wanted.setId && isSamePayload(context, kept, wanted.payload))
}

/** The same shard under another owner is sealed again, because the seal covers the owner. */
export function reseal(context: Context, { row }: KeyRecord, owner: string, version: number) {
  const { cid, sealed, sealed_version } = row
  if (sealed === null) return { owner }
  const payload = openShard(context, { cid, owner: row.owner, version: sealed_version }, sealed)
  return { owner, sealed: sealShard(context, { cid, owner, version }, payload), sealed_version: version }
}

/** A stored set, in force or not. */
type KeptSet = { cid: string; set_id: string; owner: string; version: number; sealed: Uint8Array | null }

function inForce({ cid, set_id, owner, sealed_version, sealed }: KeyRow): KeptSet {
  return { cid, set_id, owner, version: sealed_version, sealed }
}

function isSamePayload(context: Context, { cid, owner, version, sealed }: KeptSet, payload: KeyShard): boolean {
  if (sealed === null) return false
  const { key, index } = openShard(context, { cid, owner, version }, sealed)
  return key === payload.key && index === payload.index
}

/**
 * Two sets saved in one session without commitments would have one name: nodes could not tell which of them their
 * peers hold, and an interrupted save could destroy the key.
 */
async function refuseSameName(context: Context, trx: Trx, { row }: KeyRecord, wanted: Wanted): Promise<void> {
  if (wanted.set !== undefined) return
  const others = await findOtherSets(trx, row.cid)
  const isTaken = others.some(
    (other) => other.set_id === wanted.setId && !isSamePayload(context, other, wanted.payload),
  )
  if (row.set_id !== wanted.setId && !isTaken) return
  throw new CairnError('CONFLICT', {
    message: 'Another key was saved for this file in the same session',
    hint: 'Sign a new message and save the key with it. Key nodes use the message to distinguish sets of shards.',
  })
}

/** Keeps another set next to the one in force: overwriting it on two nodes of five would lose a key. */
async function keepPending(
  context: Context,
  trx: Trx,
  { row }: KeyRecord,
  wanted: Wanted,
  owner: string,
): Promise<void> {
  // Three nodes may already hold an older one, so it stays until a newer one is in force.
  const waiting = (await findOtherSets(trx, row.cid)).filter(
    ({ kind, set_id }) => kind === 'pending' && set_id !== wanted.setId,
  )
  for (const other of waiting.slice(maxWaitingSets - 1)) {
    await removeOtherSet(trx, row.cid, other.set_id)
    await removeSpare(trx, row.cid, other.set_id)
  }
  const version = row.version + 1
  const newest = waiting[0]?.saved_at ?? 0
  const values = {
    kind: 'pending' as const,
    shard_set: wanted.set === undefined ? null : JSON.stringify(wanted.set),
    sealed: sealShard(context, { cid: row.cid, owner, version }, wanted.payload),
    owner,
    version,
    // The newest set counts, also after the clock was set back.
    saved_at: Math.max(context.clock.now(), newest + 1),
  }
  await trx
    .insertInto('other_set')
    .values({ cid: row.cid, set_id: wanted.setId, ...values })
    .onConflict((conflict) => conflict.columns(['cid', 'set_id']).doUpdateSet(values))
    .execute()
}
