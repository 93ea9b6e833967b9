import {
  CairnError,
  type CallDefinition,
  type CallInput,
  type ConditionSet,
  keyShardThreshold,
  maxSharedAddressesPerCall,
  removeConditions,
  retireKey,
  revokeKey,
  shareKey,
  updateConditions,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { revokeAccess } from './access.ts'
import { findConditions } from './agreed-conditions.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import type { ChangeOptions } from './change-nodes.ts'
import { checkConditions } from './check-conditions.ts'
import { groupBy } from './group-by.ts'
import type { NodeStatus } from './half-done.ts'
import { getKeyStatus, type KeyReport } from './status.ts'

/**
 * Number of nodes that must know of a revocation before a repair completes it: with one liar, one of them is honest.
 */
export const minRevokingNodes = 2

type Options = Pick<ChangeOptions, 'signal' | 'pauseMs' | 'retryMs'>

/**
 * Completes, for the owner, the revocations that two nodes know of.
 * @returns the state of the nodes afterwards
 */
export async function finishRevocations(client: Client, before: KeyReport, options: Options): Promise<KeyReport> {
  const { cid, halfDone } = before
  const revoked = halfDone.flatMap(({ kind, nodes, address }) =>
    kind === 'revoke' && nodes.length >= minRevokingNodes && address !== undefined ? [address] : [],
  )
  if (revoked.length === 0) return before
  for (const revokeTo of inCalls(revoked)) await unlessRefused(revokeAccess(client, cid, revokeTo, options))
  return getKeyStatus(client, cid, options)
}

/**
 * A node that rejects or does not answer still differs, and the report shows it.
 * @throws CairnError ABORTED
 */
export async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    const failure = CairnError.from(error)
    if (failure.code === 'ABORTED' || failure.code === 'INTERNAL') throw failure
  }
}

/**
 * Reconciles the nodes that name this owner: to the state that three of them agree on or, if no three agree on
 * everything, to the majority for each right.
 * @returns the state of the nodes afterwards
 */
export async function makeAlike(client: Client, report: KeyReport, options: Options): Promise<KeyReport> {
  const { cid, nodes, agreed } = report
  const { address } = sessionOf(client)
  const own = nodes.flatMap(({ node, status }): NodeStatus[] => (status?.owner === address ? [{ node, status }] : []))
  const retired = own.filter(({ status }) => status.state === 'retired')
  const open = own.filter((one) => !retired.includes(one))
  // If neither state has three nodes, a liar could keep it so indefinitely: the latest change by the owner counts, as
  // for a revocation.
  const mayFinish = retired.length >= minRevokingNodes && open.length < keyShardThreshold
  if (retired.length >= keyShardThreshold || mayFinish) {
    const successor = retired[0]?.status.successor ?? undefined
    const body = { address, cid, ...(successor === undefined ? {} : { successor }) }
    for (const { node } of open) {
      const input = { params: { node: String(node) }, body }
      await unlessRefused(callWithSession(client, retireKey, node, input, { signal: options.signal }))
    }
    return getKeyStatus(client, cid, options)
  }
  if (open.length < keyShardThreshold) return report
  const listed = groupBy(
    open.flatMap(({ status }) => status.sharedTo),
    (one) => one,
  )
  const kept = agreed?.sharedTo ?? listed.flatMap(([one, times]) => (times.length >= keyShardThreshold ? [one] : []))
  const conditionsId = findMajority(open.map(({ status }) => status.conditionsId ?? '')) ?? ''
  const conditions = await findLackedConditions(client, report, open, conditionsId, options)
  const settled = { sharedTo: kept, conditionsId, conditions }
  for (const one of open) await settleNode(client, { address, cid }, one, settled, options)
  return getKeyStatus(client, cid, options)
}

/** The rights that a node should have; `conditions` only if another lacks them. */
type SettledRights = { sharedTo: readonly string[]; conditionsId: string; conditions: ConditionSet | undefined }

/** Makes the calls that one node lacks. */
async function settleNode(
  client: Client,
  file: { address: string; cid: string },
  { node, status }: NodeStatus,
  { sharedTo, conditionsId, conditions }: SettledRights,
  { signal }: Options,
): Promise<void> {
  const params = { node: String(node) }
  const change = <C extends CallDefinition>(definition: C, input: CallInput<C>) =>
    unlessRefused(callWithSession(client, definition, node, input, { signal }))
  const extra = status.sharedTo.filter((one) => !sharedTo.includes(one))
  for (const revokeTo of inCalls(extra)) await change(revokeKey, { params, body: { ...file, revokeTo } })
  const lacking = sharedTo.filter((one) => !status.sharedTo.includes(one))
  for (const shareTo of inCalls(lacking)) await change(shareKey, { params, body: { ...file, shareTo } })
  if (status.hasConditions && conditionsId === '') await change(removeConditions, { params, body: file })
  if (conditions !== undefined && status.conditionsId !== conditionsId)
    await change(updateConditions, { params, body: { ...file, ...conditions } })
}

/** Returns the conditions that three nodes have and another lacks; undefined if the nodes do not report them. */
async function findLackedConditions(
  client: Client,
  { cid }: KeyReport,
  open: readonly NodeStatus[],
  conditionsId: string,
  options: Options,
): Promise<ConditionSet | undefined> {
  if (conditionsId === '' || open.every(({ status }) => status.conditionsId === conditionsId)) return undefined
  try {
    const found = await findConditions(client, cid, options)
    return found === undefined ? undefined : await checkConditions(found)
  } catch (error) {
    // A node that lacks them still differs, and the report shows it.
    if (CairnError.is(error, 'ABORTED') || !CairnError.is(error)) throw error
    return undefined
  }
}

/** Returns the value that three nodes agree on. */
function findMajority(stated: readonly string[]): string | undefined {
  return groupBy(stated, (one) => one).find(([, alike]) => alike.length >= keyShardThreshold)?.[0]
}

function inCalls(addresses: readonly string[]): string[][] {
  const calls: string[][] = []
  for (let start = 0; start < addresses.length; start += maxSharedAddressesPerCall)
    calls.push(addresses.slice(start, start + maxSharedAddressesPerCall))
  return calls
}
