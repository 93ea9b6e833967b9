import { CairnError, normalizeIdentity, zeroAddress } from '@cairn/protocol'
import type { Caller, Context } from '../context.ts'
import { applyChange, nameChange } from './change-record.ts'
import { askPeers, enoughNodes, type PeerStatement } from './peers.ts'
import { promoteRecord, putInForce } from './promote.ts'
import { reseal } from './save.ts'
import { settlesIn } from './status.ts'
import { digestOf, findOtherSets, findRecord, findRecordToChange, type KeyRecord, type KeyRow } from './store.ts'
import { findTransfers } from './transfer.ts'

export type RepairOutcome = {
  outcome: 'current' | 'adopted' | 'undecided' | 'unable' | 'recent'
  version: number
  digest: string
  /** After `recent`. */
  retryAfterMs?: number
}

/**
 * Catches up with the peers. What three of them state alike, and what is not older than this node's own, is taken over:
 * owner, addresses, conditions; at most two nodes lie, so at least one honest node was told so by the owner. A shard is never
 * taken from anybody.
 * @param discardVersion the version of this node's record that the owner gives up: what the peers state may be older, then
 * @returns undefined where this node holds nothing of the file
 * @throws CairnError ACCESS_DENIED unless the caller owns or owned the file, or it is shared with them
 */
export async function repairRecord(
  context: Context,
  caller: Caller,
  cid: string,
  discardVersion?: number,
): Promise<RepairOutcome | undefined> {
  if ((await findRecord(context.db.read, cid)) === undefined) return undefined
  const peers = await askPeers(context, cid)
  const agreed = findAgreed(context, peers)
  if (!(await mayRepair(context, caller, cid, agreed))) throw new CairnError('ACCESS_DENIED')
  await promoteRecord(context, cid, peers)
  const record = await findRecord(context.db.read, cid)
  if (record === undefined) return undefined
  const { row } = record
  const own = { version: row.version, digest: row.digest }
  if (agreed === undefined) {
    const alike = peers.filter(({ digest }) => digest === row.digest).length + 1
    return { outcome: alike >= enoughNodes(context) ? 'current' : 'undecided', ...own }
  }
  if (agreed.digest === row.digest) return { outcome: 'current', ...own }
  const isOwners = agreed.owner === caller.address
  const isLastByCaller = (await findLastAuthor(context, cid)) === caller.address
  // What others did here while the file belonged to the caller counts for nothing; what the caller did may be newer.
  const isForeign = isOwners && row.owner !== caller.address && !isLastByCaller
  const isGivenUp = isForeign || (isOwners && discardVersion === row.version)
  if (agreed.version < row.version) {
    if (!isGivenUp) return { outcome: 'undecided', ...own }
    const retryAfterMs = isLastByCaller ? settlesIn(context, row) : 0
    if (retryAfterMs > 0) return { outcome: 'recent', ...own, retryAfterMs }
  }
  let decidedAt = row.version
  if (agreed.setId !== row.set_id) {
    const others = await findOtherSets(context.db.read, cid)
    if (!others.some(({ set_id }) => set_id === agreed.setId)) {
      if (isGivenUp) await makeRoom(context, caller, record, agreed)
      return { outcome: 'unable', ...own }
    }
    if (await putInForce(context, cid, agreed.setId, caller.address)) decidedAt += 1
  }
  return adopt(context, caller, cid, agreed, decidedAt)
}

/** Who made the last change of a record. */
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
 * Lets the owner save a shard of the set that the peers have. A first save by another account that three peers contradict goes,
 * as it would after a day; of any other record the rights are taken over and the shard stays until another one comes.
 */
async function makeRoom(context: Context, caller: Caller, { row }: KeyRecord, agreed: PeerStatement): Promise<void> {
  if (row.state === 'provisional' && row.owner !== agreed.owner) {
    await context.db.write((trx) =>
      trx
        .deleteFrom('key')
        .where('cid', '=', row.cid)
        .where('version', '=', row.version)
        .where('digest', '=', row.digest)
        .where('state', '=', 'provisional')
        .execute(),
    )
    return
  }
  await adopt(context, caller, row.cid, { ...agreed, setId: row.set_id }, row.version)
}

/** This node may be the one that has not heard yet to whom the file belongs, so what the peers agree on counts too. */
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

/** What at least three peers state alike and consistently; of this node's own word nothing is counted. */
export function findAgreed(
  context: Pick<Context, 'config'>,
  peers: readonly PeerStatement[],
): PeerStatement | undefined {
  const needed = enoughNodes(context)
  for (const one of peers) {
    if (peers.filter(({ digest }) => digest === one.digest).length < needed || !isConsistent(one)) continue
    const versions = peers.filter(({ digest }) => digest === one.digest).map(({ version }) => version)
    versions.sort((a, b) => b - a)
    // At most two lie: among as many as are needed one is honest, so the last of these is no higher than what it states. The
    // highest would be one liar's choice, and could bring rights back that were taken.
    return { ...one, version: versions[needed - 1] ?? 0 }
  }
  return undefined
}

/** Whether a statement's rights are those its digest is of. */
function isConsistent({ owner, conditions, setId, successor, state, sharedTo, digest }: PeerStatement): boolean {
  const isAddress = owner === zeroAddress || normalizeIdentity(owner) === owner
  const isRetired = state === 'retired'
  return isAddress && digestOf({ owner, conditions, set_id: setId, successor, isRetired, sharedTo }) === digest
}

/** Takes over what the peers agree on, unless the record changed since that was decided: the owner's own word is newer. */
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
    // Kept as a transfer, so that the owner before can repeat the call here as on the nodes that heard it from them; and as a
    // revocation, so that this node counts as many as those that heard of it.
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

/** That three nodes name one owner is each node's own finding; whether a key is retired is the owner's word. */
function stateAfter(own: KeyRow['state'], agreed: KeyRow['state']): KeyRow['state'] {
  if (agreed !== 'provisional') return agreed
  return own === 'retired' ? 'provisional' : own
}
