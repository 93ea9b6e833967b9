import {
  type AccessVerdict,
  CairnError,
  type CallResult,
  explainAccess as explainAccessCall,
  explainConditions as explainConditionsCall,
  getConditions as getConditionsCall,
  keyShardThreshold,
  removeConditions as removeConditionsCall,
  retireKey as retireKeyCall,
  revokeKey,
  shareKey,
  transferOwnership as transferOwnershipCall,
  updateConditions,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callKeyNode, nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes, withOpenConditions } from './change-nodes.ts'
import { type ConditionsInput, checkConditions } from './check-conditions.ts'
import { firstGood } from './first-good.ts'
import { groupBy } from './group-by.ts'

const at = (node: number) => ({ node: String(node) })

/** Shares a file with addresses. Sharing twice is one share. @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE */
export function shareFile(
  client: Client,
  cid: string,
  shareTo: readonly string[],
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, shareTo: [...shareTo] }
  return changeNodes(
    client,
    (node) => callWithSession(client, shareKey, node, { params: at(node), body }, options),
    options,
  )
}

/**
 * Takes the right to read from addresses. It stops keys from being given out; who had the key before may have kept it, and
 * the encrypted bytes are public: to shut somebody out for good, use `rotateFile`.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE
 */
export function revokeAccess(
  client: Client,
  cid: string,
  revokeTo: readonly string[],
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, revokeTo: [...revokeTo] }
  return changeNodes(
    client,
    (node) => callWithSession(client, revokeKey, node, { params: at(node), body }, options),
    options,
  )
}

/**
 * Gives a file to another owner. Conditions stay; addresses it was shared with lose it unless `resetSharedTo` is false. The
 * old owner may make the same call again to finish what was cut off.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE, INVALID_REQUEST
 */
export function transferFile(
  client: Client,
  cid: string,
  newOwner: string,
  { resetSharedTo = true, ...options }: ChangeOptions & { resetSharedTo?: boolean } = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, newOwner, resetSharedTo }
  return changeNodes(
    client,
    (node) => callWithSession(client, transferOwnershipCall, node, { params: at(node), body }, options),
    options,
  )
}

/** Sets the conditions under which anybody may read, in place of those before. @throws CairnError INVALID_CONDITION, ACCESS_DENIED, CHAIN_NOT_SUPPORTED, CHANGE_INCOMPLETE */
export async function setConditions(
  client: Client,
  cid: string,
  conditions: ConditionsInput,
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const set = await checkConditions(conditions)
  const body = { address: sessionOf(client).address, cid, ...set }
  const told: number[][] = []
  const result = await changeNodes(
    client,
    async (node) => {
      const { data } = await callWithSession(client, updateConditions, node, { params: at(node), body }, options)
      told.push(data?.openConditions ?? [])
    },
    options,
  )
  return withOpenConditions(result, told)
}

/** Removes all conditions. @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE */
export function removeConditions(client: Client, cid: string, options: ChangeOptions = {}): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid }
  return changeNodes(
    client,
    (node) => callWithSession(client, removeConditionsCall, node, { params: at(node), body }, options),
    options,
  )
}

/** The owner and conditions of a file; addresses only for owner and recipients. @throws CairnError KEY_NOT_FOUND */
export function getConditions(
  client: Client,
  cid: string,
  options: { signal?: AbortSignal } = {},
): Promise<CallResult<typeof getConditionsCall>> {
  return firstGood(nodeNumbers, (node) =>
    client.keySession === undefined
      ? callKeyNode(client, getConditionsCall, node, { params: { cid } }, options)
      : callWithSession(client, getConditionsCall, node, { params: { cid } }, options),
  )
}

/**
 * The conditions that three nodes state alike, for changes that build on them: no node alone decides who may read.
 * @throws CairnError CONFLICT where no three agree
 */
export async function getAgreedConditions(
  client: Client,
  cid: string,
  options: { signal?: AbortSignal } = {},
): Promise<CallResult<typeof getConditionsCall>> {
  const answers = await Promise.allSettled(
    nodeNumbers.map((node) => callWithSession(client, getConditionsCall, node, { params: { cid } }, options)),
  )
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const alike = groupBy(found, ({ aggregator, conditions, conditionsSolana, conditionsCoreum, owner }) =>
    JSON.stringify([aggregator, conditions, conditionsSolana, conditionsCoreum, owner]),
  )
  for (const [, group] of alike) if (group[0] !== undefined && group.length >= keyShardThreshold) return group[0]
  throw new CairnError('CONFLICT', {
    message: 'No three key nodes state the same conditions of this file',
    hint: 'Repair it first, with `repairKey` or `cairn keys repair`.',
  })
}

/**
 * Why an address may read a file or not: the owner may ask about anybody, others about themselves.
 * @param options `node`: asks this one alone, in place of the first that answers
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND
 */
export function explainAccess(
  client: Client,
  cid: string,
  {
    about,
    dynamicData,
    node: wanted,
    signal,
  }: { about?: string; dynamicData?: Record<string, unknown>; node?: number; signal?: AbortSignal } = {},
): Promise<AccessVerdict> {
  const { address } = sessionOf(client)
  const body = {
    address,
    cid,
    ...(about === undefined ? {} : { about }),
    ...(dynamicData === undefined ? {} : { dynamicData }),
  }
  return firstGood(wanted === undefined ? nodeNumbers : [wanted], (node) =>
    callWithSession(client, explainAccessCall, node, { params: at(node), body }, { signal }),
  )
}

/**
 * What conditions that are saved nowhere say about an address, condition by condition: to try them before they are saved.
 * @param options `about`: another address than one's own; `node`: asks this one alone, in place of the first that answers
 * @throws CairnError INVALID_CONDITION, CHAIN_NOT_SUPPORTED, RATE_LIMITED
 */
export async function explainConditions(
  client: Client,
  conditions: ConditionsInput,
  {
    about,
    dynamicData,
    node: wanted,
    signal,
  }: { about?: string; dynamicData?: Record<string, unknown>; node?: number; signal?: AbortSignal } = {},
): Promise<AccessVerdict> {
  const { address } = sessionOf(client)
  const body = {
    // Trying takes nothing from anybody.
    ...(await checkConditions({ ...conditions, isOwnerless: true })),
    address,
    ...(about === undefined ? {} : { about }),
    ...(dynamicData === undefined ? {} : { dynamicData }),
  }
  return firstGood(wanted === undefined ? nodeNumbers : [wanted], (node) =>
    callWithSession(client, explainConditionsCall, node, { params: at(node), body }, { signal }),
  )
}

/** Ends a key: only the owner gets it any more, for 30 days, and then nobody. @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE */
export function retireKey(
  client: Client,
  cid: string,
  { successor, ...options }: ChangeOptions & { successor?: string } = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, ...(successor === undefined ? {} : { successor }) }
  return changeNodes(
    client,
    (node) => callWithSession(client, retireKeyCall, node, { params: at(node), body }, options),
    options,
  )
}
