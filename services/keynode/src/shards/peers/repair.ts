import { CairnError, normalizeIdentity, zeroAddress } from '@cairn/protocol'
import type { Caller, Context } from '../../context.ts'
import { applyChange, nameChange } from '../changes/change-record.ts'
import { reseal } from '../changes/save.ts'
import { findTransfers } from '../changes/transfer.ts'
import { removeSpare } from '../spares.ts'
import { digestOf, findOtherSets, findRecord, findRecordToChange, type KeyRecord, type KeyRow } from '../store.ts'
import { enoughNodes, type PeerStatement, queryPeers } from './peers.ts'
import { promoteRecord, putInForce } from './promote.ts'
import { confirmRecord, isUnconfirmed, replaceRestored } from './restored.ts'
import { restoresWithdrawn } from './restores-withdrawn.ts'
import { settlesIn } from './settles-in.ts'

export type RepairOutcome = {
  outcome: 'current' | 'adopted' | 'undecided' | 'unable' | 'recent'
  version: number
  digest: string
  /** Set after `recent`. */
  retryAfterMs?: number
}

/**
 * Catches up with the peers. Adopts what three of them state alike, unless it is older than this node's own state:
 * owner, addresses, conditions; at most two nodes lie, so at least one honest node received it from the owner. What the
 * owner took away with a call to this node comes back only in a repair by the owner. A shard is never taken from
 * another node.
 * @param discardVersion version of this node's record that the owner abandons: the peers' state may then be older
 * @returns undefined when this node holds nothing of the file
 * @throws CairnError ACCESS_DENIED unless the caller owns or owned the file, or it is shared with them
 */
export async function repairRecord(
  context: Context,
  caller: Caller,
  cid: string,
  discardVersion?: number,
): Promise<RepairOutcome | undefined> {
  if ((await findRecord(context.db.read, cid)) === undefined) return undefined
  const peers = await queryPeers(context, cid)
  const agreed = findAgreed(context, peers)
  if (!(await mayRepair(context, caller, cid, agreed))) throw new CairnError('ACCESS_DENIED')
  await promoteRecord(context, cid, peers)
  const record = await findRecord(context.db.read, cid)
  if (record === undefined) return undefined
  const { row } = record
  const own = { version: row.version, digest: row.digest }
  if (agreed === undefined && isUnconfirmed(record)) {
    if (!(await replaceRestored(context, caller, record, peers))) return { outcome: 'undecided', ...own }
    const after = await findRecord(context.db.read, cid)
    return { outcome: 'adopted', version: after?.row.version ?? 0, digest: after?.row.digest ?? '' }
  }
  if (agreed === undefined) {
    const alike = peers.filter(({ digest }) => digest === row.digest).length + 1
    return { outcome: alike >= enoughNodes(context) ? 'current' : 'undecided', ...own }
  }
  if (agreed.digest === row.digest) {
    await confirmRecord(context, row)
    return { outcome: 'current', ...own }
  }
  const isOwners = agreed.owner === caller.address
  const isLastByCaller = (await findLastAuthor(context, cid)) === caller.address
  // Changes by others while the caller owned the file do not count; the caller's own may be newer.
  const isForeign = isOwners && row.owner !== caller.address && !isLastByCaller
  const isAbandoned = isForeign || (isOwners && discardVersion === row.version)
  if (agreed.version < row.version) {
    if (!isAbandoned) return { outcome: 'undecided', ...own }
    const retryAfterMs = isLastByCaller ? settlesIn(context, row) : 0
    if (retryAfterMs > 0) return { outcome: 'recent', ...own, retryAfterMs }
  }
  // A revoked reader may repair while the owner's call is on its way to the peers.
  if (!isOwners && (await restoresWithdrawn(context.db.read, record, agreed))) return { outcome: 'undecided', ...own }
  const adopted = await takeOver(context, caller, record, agreed)
  if (adopted !== undefined) return adopted
  if (isAbandoned) await retireOutdated(context, caller, record, agreed)
  return { outcome: 'unable', ...own }
}

/**
 * Confirms a restored record without its owner: as it is when three peers agree with it, or with the newer state that
 * they agree on. Does nothing for other records.
 * @param known statements of all peers, if they were queried already
 */
export async function confirmRestored(context: Context, cid: string, known?: readonly PeerStatement[]): Promise<void> {
  const record = await findRecord(context.db.read, cid)
  if (record === undefined || !isUnconfirmed(record)) return
  const { row } = record
  const agreed = findAgreed(context, known ?? (await queryPeers(context, cid)))
  if (agreed === undefined) return
  if (agreed.digest === row.digest) return confirmRecord(context, row)
  // An older state may lack a revocation that the backup has: the owner decides.
  if (agreed.version < row.version || (await restoresWithdrawn(context.db.read, record, agreed))) return
  await takeOver(context, callerOfNode(context, `restore-${row.restored_at ?? 0}`), record, agreed)
}

/**
 * Lets a first save that was never settled here follow a transfer that this node missed: three peers state the same set
 * under another owner, so its shard is one of the key in force.
 * @param peers statements of all peers
 */
export async function followTransfer(context: Context, cid: string, peers: readonly PeerStatement[]): Promise<void> {
  const record = await findRecord(context.db.read, cid)
  if (record === undefined || record.row.state !== 'provisional') return
  const { row } = record
  const agreed = findAgreed(context, peers)
  if (agreed === undefined || agreed.owner === row.owner || agreed.setId !== row.set_id) return
  if (agreed.version < row.version || (await restoresWithdrawn(context.db.read, record, agreed))) return
  await takeOver(context, callerOfNode(context, `follow-${row.set_id}`), record, agreed)
}

/** The author of what a node does without its owner. */
function callerOfNode({ config }: Context, id: string): Caller {
  return { address: `node:${config.node}`, challengeId: id, sessionId: id, isBound: true, peer: undefined }
}

/**
 * Takes over the state that the peers agree on, with this node's own shard of their set. Returns undefined when it has
 * none.
 */
async function takeOver(
  context: Context,
  caller: Caller,
  { row }: KeyRecord,
  agreed: PeerStatement,
): Promise<RepairOutcome | undefined> {
  let decidedAt = row.version
  if (agreed.setId !== row.set_id) {
    const others = await findOtherSets(context.db.read, row.cid)
    if (!others.some(({ set_id }) => set_id === agreed.setId)) return undefined
    if (await putInForce(context, row.cid, agreed.setId, { owner: row.owner, by: caller.address })) decidedAt += 1
  }
  const adopted = await adopt(context, caller, row.cid, agreed, decidedAt)
  if (adopted.outcome === 'adopted') await confirmRecord(context, { cid: row.cid, ...adopted })
  return adopted
}

/** Returns the author of the last change of a record. */
async function findLastAuthor({ db }: Context, cid: string): Promise<string | undefined> {
  const last = await db.read
    .selectFrom('change')
    .select('by_address')
    .where('cid', '=', cid)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.by_address
}

/**
 * Lets the owner save a shard of the set that the peers have. A first save by another account that three peers
 * contradict is removed, as it would be after a day; for any other record, the rights are adopted and the shard stays
 * until another one arrives.
 */
async function retireOutdated(
  context: Context,
  caller: Caller,
  { row }: KeyRecord,
  agreed: PeerStatement,
): Promise<void> {
  if (row.state === 'provisional' && row.owner !== agreed.owner) {
    await context.db.write(async (trx) => {
      const removed = await trx
        .deleteFrom('key')
        .where('cid', '=', row.cid)
        .where('version', '=', row.version)
        .where('digest', '=', row.digest)
        .where('state', '=', 'provisional')
        .returning('set_id')
        .execute()
      for (const { set_id } of removed) await removeSpare(trx, row.cid, set_id)
    })
    return
  }
  await adopt(context, caller, row.cid, { ...agreed, setId: row.set_id }, row.version)
}

/** This node may not have received the latest transfer, so the agreement of the peers counts too. */
async function mayRepair(
  context: Context,
  { address }: Caller,
  cid: string,
  agreed: PeerStatement | undefined,
): Promise<boolean> {
  if (agreed !== undefined && (agreed.owner === address || agreed.sharedTo.includes(address))) return true
  const record = await findRecord(context.db.read, cid)
  if (record === undefined || record.row.owner === address || record.sharedTo.includes(address)) return true
  return (await findTransfers(context.db.read, cid)).some(({ from }) => from === address)
}

/** Returns what at least three peers state alike and consistently; this node's own statement does not count. */
export function findAgreed(
  context: Pick<Context, 'config'>,
  peers: readonly PeerStatement[],
): PeerStatement | undefined {
  const needed = enoughNodes(context)
  for (const one of peers) {
    if (peers.filter(({ digest }) => digest === one.digest).length < needed || !isConsistent(one)) continue
    const versions = peers.filter(({ digest }) => digest === one.digest).map(({ version }) => version)
    versions.sort((a, b) => b - a)
    // At most two lie, so at least one of those needed is honest, and the last of these versions is no higher than
    // its statement. The highest could be a liar's choice and restore rights that were removed.
    return { ...one, version: versions[needed - 1] ?? 0 }
  }
  return undefined
}

/** Whether a statement's rights match its digest. */
function isConsistent({ owner, conditions, setId, successor, state, sharedTo, digest }: PeerStatement): boolean {
  const isAddress = owner === zeroAddress || normalizeIdentity(owner) === owner
  const isRetired = state === 'retired'
  return isAddress && digestOf({ owner, conditions, set_id: setId, successor, isRetired, sharedTo }) === digest
}

/** Adopts what the peers agree on, unless the record changed since the decision: the owner's own change is newer. */
async function adopt(
  context: Context,
  caller: Caller,
  cid: string,
  agreed: PeerStatement,
  decidedAt: number,
): Promise<RepairOutcome> {
  await context.db.write(async (trx) => {
    const record = await findRecordToChange(context, trx, cid)
    if (record === undefined || record.row.version !== decidedAt) return
    const version = Math.max(agreed.version, record.row.version)
    const { owner: from } = record.row
    const lost = record.sharedTo.filter((address) => !agreed.sharedTo.includes(address))
    const fields = {
      ...(agreed.owner === record.row.owner ? {} : reseal(context, record, agreed.owner, version)),
      conditions: agreed.conditions,
      successor: agreed.successor,
      state: stateAfter(record.row.state, agreed.state),
      sharedTo: agreed.sharedTo,
    }
    // Stored as a transfer, so that the previous owner can repeat the call here as on the other nodes; and as a
    // revocation, so that this node counts as many as the others.
    const isBehind = agreed.version > record.row.version
    const given =
      agreed.owner !== from ? { from, to: agreed.owner } : isBehind && lost.length > 0 ? { revokeTo: lost } : {}
    const id = nameChange(caller, 'repair')
    const name = { kind: 'repair' as const, arguments: given, id, by: caller.address, version }
    await applyChange(context, trx, record, fields, name)
  })
  const after = await findRecord(context.db.read, cid)
  const isDone = after?.row.digest === agreed.digest
  return {
    outcome: isDone ? 'adopted' : 'undecided',
    version: after?.row.version ?? 0,
    digest: after?.row.digest ?? '',
  }
}

/** Each node determines itself whether three nodes name one owner; the owner decides whether a key is retired. */
function stateAfter(own: KeyRow['state'], agreed: KeyRow['state']): KeyRow['state'] {
  if (agreed !== 'provisional') return agreed
  return own === 'retired' ? 'provisional' : own
}
