import {
  CairnError,
  type CallResult,
  keyShardThreshold,
  repairKey as repairKeyCall,
  retrieveShard,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { askNodes } from './ask-nodes.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import type { ChangeOptions, ChangeResult } from './change-nodes.ts'
import { getKey } from './get-key.ts'
import { groupBy } from './group-by.ts'
import type { HalfDone } from './half-done.ts'
import { prepareKey, saveKey } from './save-key.ts'
import { finishRevocations, makeAlike, unlessRefused, wordsToRevoke } from './settle-rights.ts'
import { getKeyStatus, type KeyReport } from './status.ts'

export type RepairOptions = Pick<ChangeOptions, 'signal' | 'pauseMs' | 'retryMs'> & {
  /**
   * Longest wait for a change of the owner's that may still be on its way to other nodes, in ms. Nodes take such a change back
   * only after 30 seconds, unless their operator says otherwise.
   * @defaultValue 45_000
   */
  maxWaitMs?: number
}

type ChangeOutcome = 'finished' | 'taken back' | 'left'

/** What a repair did. */
export type RepairReport = {
  /** How the nodes stood before and after. */
  before: KeyReport
  after: KeyReport
  /**
   * The changes that were half done, and what became of them: `finished` on all nodes that answer, `taken back` where three
   * nodes never had it, or `left` as it was.
   */
  changes: (HalfDone & { outcome: ChangeOutcome })[]
  nodes: {
    node: number
    outcome: CallResult<typeof repairKeyCall>['data']['outcome'] | 'saved' | 'failed'
    error?: CairnError
  }[]
}

const timeoutMs = 20_000
const defaultMaxWaitMs = 45_000

/**
 * Brings the nodes together after changes that were cut off. What three nodes state is in force: the others catch up with it.
 *
 * The owner's call also settles what is in force nowhere: a revocation that two nodes heard of is finished; any other change
 * that fewer than three have is taken back, for two nodes could have made it up between them. It saves the key again where a
 * node lacks its shard or cannot open it: the key stays the same, all five get new shards of it.
 * @throws CairnError KEY_NOT_FOUND, ACCESS_DENIED, NO_SESSION, ABORTED
 */
export function repairKey(client: Client, cid: string, options: RepairOptions = {}): Promise<RepairReport> {
  return repairWith(prepareKey, client, cid, options)
}

/** The same, with another way to split a key: one that gives equal shards again, for tests that repeat a run. */
export async function repairWith(
  prepare: typeof prepareKey,
  client: Client,
  cid: string,
  options: RepairOptions = {},
): Promise<RepairReport> {
  const { address } = sessionOf(client)
  const before = await getKeyStatus(client, cid, options)
  const isOwner = findOwner(before) === address
  const nodes = new Map<number, RepairReport['nodes'][number]>()
  let report = before
  let waitMs: number | undefined
  if (isOwner) {
    report = await finishRevocations(client, report, options)
    waitMs = findWait(report, options.maxWaitMs ?? defaultMaxWaitMs)
    if (waitMs !== undefined && waitMs > 0) {
      await pause(waitMs, options.signal)
      report = await getKeyStatus(client, cid, options)
    }
    if (waitMs !== undefined && report.agreed === undefined) report = await makeAlike(client, report, options)
    if (waitMs !== undefined && report.agreed === undefined && lackOneSet(report, address)) {
      await unlessRefused(saveAgain(prepare, client, cid, options))
      report = await getKeyStatus(client, cid, options)
    }
  }
  await repairNodes(client, report, isOwner, nodes, options)
  // A retired key is on its way to be destroyed: saved again, it would be given out again.
  if (isOwner && report.agreed !== undefined && report.agreed.state !== 'retired') {
    const lacking = await findLacking(client, cid, nodes, options)
    if (lacking.length > 0) {
      const { done } = await saveAgain(prepare, client, cid, options)
      report = await getKeyStatus(client, cid, options)
      await repairNodes(client, report, isOwner, nodes, options)
      for (const node of lacking) if (done.includes(node)) nodes.set(node, { node, outcome: 'saved' })
    }
  }
  let after = await getKeyStatus(client, cid, options)
  // With one that lies among its peers a node may never hear the same of three: the owner tells it.
  if (waitMs !== undefined && after.nodes.some(({ status, isAgreed }) => status?.owner === address && !isAgreed)) {
    after = await makeAlike(client, after, options)
    if (lackOneSet(after, address)) {
      await unlessRefused(saveAgain(prepare, client, cid, options))
      after = await getKeyStatus(client, cid, options)
    }
  }
  const changes = before.halfDone.map((change) => ({ ...change, outcome: outcomeOf(change, after) }))
  return { before, after, changes, nodes: nodeNumbers.flatMap((node) => nodes.get(node) ?? []) }
}

/** Saves the key that there is, in a set of new shards. */
async function saveAgain(
  prepare: typeof prepareKey,
  client: Client,
  cid: string,
  options: RepairOptions,
): Promise<ChangeResult> {
  const { masterKey } = await getKey(client, cid, { ...options, lateMs: 0 })
  return saveKey(client, cid, prepare(masterKey), options)
}

/** Whether nodes that name this owner differ by what another save settles: their set in force, or that some are retired alone. */
function lackOneSet({ nodes }: KeyReport, address: string): boolean {
  const own = nodes.flatMap(({ status }) => (status?.owner === address ? [status] : []))
  const open = own.filter(({ state }) => state !== 'retired')
  const sets = new Set(own.map(({ state, setId }) => (state === 'retired' ? state : setId)))
  return open.length >= keyShardThreshold && sets.size > 1
}

/** The owner that three nodes name. */
function findOwner({ nodes }: KeyReport): string | undefined {
  const owners = nodes.flatMap(({ status }) => (status === undefined ? [] : [status.owner]))
  return groupBy(owners, (owner) => owner).find(([, named]) => named.length >= keyShardThreshold)?.[0]
}

/**
 * How long changes that too few nodes have may still be on their way to the others, in ms; undefined when that is longer than
 * may be waited. What one node alone claims beyond that is not believed.
 */
function findWait({ agreed, nodes }: KeyReport, maxWaitMs: number): number | undefined {
  const waits = nodes.flatMap(({ status, isAgreed }) => {
    const isAhead = status !== undefined && (agreed === undefined || (!isAgreed && status.version >= agreed.version))
    return isAhead ? [status.settlesInMs] : []
  })
  const believed = waits.filter((waitMs) => waitMs <= maxWaitMs)
  return waits.length - believed.length > 1 ? undefined : Math.max(0, ...believed)
}

/** Has each node catch up with its peers. */
async function repairNodes(
  client: Client,
  { cid, agreed, nodes, halfDone }: KeyReport,
  isOwner: boolean,
  outcomes: Map<number, RepairReport['nodes'][number]>,
  options: RepairOptions,
): Promise<void> {
  const { address } = sessionOf(client)
  const hasAll = nodes.every(({ status }) => status !== undefined)
  for (const { node, status, isAgreed } of nodes) {
    // Another node that heard of the revocation may just be offline.
    const mayBeRevoked = halfDone.some(
      ({ kind, nodes: heard }) =>
        kind === 'revoke' && heard.includes(node) && (!hasAll || heard.length >= wordsToRevoke),
    )
    const isGivenUp = isOwner && agreed !== undefined && !isAgreed && !mayBeRevoked
    const body = {
      address,
      cid,
      ...(isGivenUp && status !== undefined ? { discardVersion: status.version } : {}),
    }
    try {
      const input = { params: { node: String(node) }, body }
      const { data } = await callWithSession(client, repairKeyCall, node, input, { signal: options.signal, timeoutMs })
      outcomes.set(node, { node, outcome: data.outcome })
    } catch (error) {
      const failure = CairnError.from(error)
      if (failure.code === 'ABORTED') throw failure
      outcomes.set(node, { node, outcome: 'failed', error: failure })
    }
  }
}

/** Nodes without a shard of the set in force, or with one that they cannot open any more: a bit of their disk changed. */
async function findLacking(
  client: Client,
  cid: string,
  outcomes: ReadonlyMap<number, RepairReport['nodes'][number]>,
  options: RepairOptions,
): Promise<number[]> {
  const { address } = sessionOf(client)
  const answers = await askNodes(nodeNumbers, (node) => {
    const input = { params: { node: String(node) }, body: { address, cid } }
    return callWithSession(client, retrieveShard, node, input, { signal: options.signal })
  })
  return nodeNumbers.filter((node, i) => {
    const answer = answers[i]
    const { outcome, error } = outcomes.get(node) ?? {}
    if (outcome === 'unable' || error?.code === 'KEY_NOT_FOUND' || error?.code === 'DATA_DAMAGED') return true
    return answer !== undefined && 'error' in answer && answer.error.code === 'DATA_DAMAGED'
  })
}

function outcomeOf({ kind, address, nodes }: HalfDone, { agreed, halfDone }: KeyReport): ChangeOutcome {
  if (halfDone.some((other) => other.kind === kind && other.address === address)) return 'left'
  if (agreed === undefined) return 'left'
  const isShared = address !== undefined && agreed.sharedTo.includes(address)
  if (kind === 'share') return isShared ? 'finished' : 'taken back'
  if (kind === 'revoke') return isShared ? 'taken back' : 'finished'
  if (kind === 'transfer') return agreed.owner === address ? 'finished' : 'taken back'
  if (kind === 'retire') return agreed.state === 'retired' ? 'finished' : 'taken back'
  return nodes.length >= keyShardThreshold || kind === 'save' ? 'finished' : 'taken back'
}
