import {
  CairnError,
  type CallResult,
  keyShardThreshold,
  repairKey as repairKeyCall,
  retrieveShard,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import type { ChangeOptions, ChangeResult } from './change-nodes.ts'
import { getKey } from './get-key.ts'
import { groupBy } from './group-by.ts'
import type { HalfDone } from './half-done.ts'
import { prepareKey, saveKey } from './save-key.ts'
import { settleNodes } from './settle-nodes.ts'
import { finishRevocations, makeAlike, minRevokingNodes, unlessRefused } from './settle-rights.ts'
import { getKeyStatus, type KeyReport } from './status.ts'

export type RepairOptions = Pick<ChangeOptions, 'signal' | 'pauseMs' | 'retryMs'> & {
  /**
   * Longest wait in ms for a change by the owner that may still be on its way to other nodes. By default, nodes revert
   * such a change only after 30 seconds.
   * @defaultValue 45_000
   */
  maxWaitMs?: number
}

type ChangeOutcome = 'finished' | 'taken back' | 'left'

/** Result of a repair. */
export type RepairReport = {
  /** State of the nodes before and after. */
  before: KeyReport
  after: KeyReport
  /**
   * The incomplete changes and their outcome: `finished` on all nodes that answer, `taken back` if three nodes never
   * applied it, or `left` unchanged.
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
 * Reconciles the nodes after interrupted changes. The state that three nodes agree on is in force, and the others catch
 * up. A call by the owner also settles changes that are not in force: it completes a revocation that two nodes know of,
 * and reverts any other change that fewer than three nodes applied, because two nodes could have invented it. It saves
 * the key again if a node lacks its shard or cannot open it, or if the nodes have no spare shards with which their
 * operators can replace all shards: the key stays the same, and all five nodes receive new shards.
 * @throws CairnError KEY_NOT_FOUND, ACCESS_DENIED, NO_SESSION, ABORTED
 */
export function repairKey(client: Client, cid: string, options: RepairOptions = {}): Promise<RepairReport> {
  return repairWith(prepareKey, client, cid, options)
}

/** As `repairKey`, with a custom function that splits the key: tests that repeat a run pass one with equal shards. */
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
  // A retired key is about to be destroyed; saving it again would make it available again.
  if (isOwner && report.agreed !== undefined && report.agreed.state !== 'retired') {
    const lacking = await findLacking(client, cid, nodes, options)
    if (lacking.length > 0 || report.hasSpare === false) {
      const { done } = await saveAgain(prepare, client, cid, options)
      report = await getKeyStatus(client, cid, options)
      await repairNodes(client, report, isOwner, nodes, options)
      for (const node of lacking) if (done.includes(node)) nodes.set(node, { node, outcome: 'saved' })
    }
  }
  let after = await getKeyStatus(client, cid, options)
  // With a lying peer, a node may never see the same state from three others, so the owner notifies it.
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

/** Saves the existing key as a set of new shards. */
async function saveAgain(
  prepare: typeof prepareKey,
  client: Client,
  cid: string,
  options: RepairOptions,
): Promise<ChangeResult> {
  const { masterKey } = await getKey(client, cid, { ...options, lateMs: 0 })
  return saveKey(client, cid, prepare(masterKey), options)
}

/**
 * Returns whether nodes with this owner differ in a way that another save settles: their active set, or a retirement on
 * some.
 */
function lackOneSet({ nodes }: KeyReport, address: string): boolean {
  const own = nodes.flatMap(({ status }) => (status?.owner === address ? [status] : []))
  const open = own.filter(({ state }) => state !== 'retired')
  const sets = new Set(own.map(({ state, setId }) => (state === 'retired' ? state : setId)))
  return open.length >= keyShardThreshold && sets.size > 1
}

/** Returns the owner that three nodes agree on. */
function findOwner({ nodes }: KeyReport): string | undefined {
  const owners = nodes.flatMap(({ status }) => (status === undefined ? [] : [status.owner]))
  return groupBy(owners, (owner) => owner).find(([, named]) => named.length >= keyShardThreshold)?.[0]
}

/**
 * Returns how long, in ms, changes on too few nodes may still be on their way to the others; undefined if that exceeds
 * the limit. A longer claim of a single node is ignored.
 */
function findWait({ agreed, nodes }: KeyReport, maxWaitMs: number): number | undefined {
  const waits = nodes.flatMap(({ status, isAgreed }) => {
    const isAhead = status !== undefined && (agreed === undefined || (!isAgreed && status.version >= agreed.version))
    return isAhead ? [status.settlesInMs] : []
  })
  const believed = waits.filter((waitMs) => waitMs <= maxWaitMs)
  return waits.length - believed.length > 1 ? undefined : Math.max(0, ...believed)
}

/** Makes each node catch up with its peers. */
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
    // Another node with the revocation may be offline.
    const mayBeRevoked = halfDone.some(
      ({ kind, nodes: heard }) =>
        kind === 'revoke' && heard.includes(node) && (!hasAll || heard.length >= minRevokingNodes),
    )
    const isAbandoned = isOwner && agreed !== undefined && !isAgreed && !mayBeRevoked
    const body = {
      address,
      cid,
      ...(isAbandoned && status !== undefined ? { discardVersion: status.version } : {}),
    }
    try {
      const input = { params: { node: String(node) }, body }
      const { data } = await callWithSession(client, repairKeyCall, node, input, { signal: options.signal, timeoutMs })
      // What an earlier round repaired stays reported.
      const isRepaired = outcomes.get(node)?.outcome === 'adopted'
      if (data.outcome !== 'current' || !isRepaired) outcomes.set(node, { node, outcome: data.outcome })
    } catch (error) {
      const failure = CairnError.from(error)
      if (failure.code === 'ABORTED') throw failure
      outcomes.set(node, { node, outcome: 'failed', error: failure })
    }
  }
}

/**
 * Finds nodes without a shard of the active set, or with one that they cannot open because a bit on their disk changed.
 */
async function findLacking(
  client: Client,
  cid: string,
  outcomes: ReadonlyMap<number, RepairReport['nodes'][number]>,
  options: RepairOptions,
): Promise<number[]> {
  const { address } = sessionOf(client)
  const answers = await settleNodes(nodeNumbers, (node) => {
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
