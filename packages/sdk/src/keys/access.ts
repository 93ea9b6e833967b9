import {
  type AccessVerdict,
  type CallDefinition,
  type CallInput,
  explainAccess as explainAccessCall,
  explainConditions as explainConditionsCall,
  removeConditions as removeConditionsCall,
  retireKey as retireKeyCall,
  revokeKey,
  shareKey,
  transferOwnership as transferOwnershipCall,
  updateConditions,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes, withOpenConditions } from './change-nodes.ts'
import { type ConditionsInput, checkConditions } from './check-conditions.ts'
import { firstSuccessful } from './first-successful.ts'

const at = (node: number) => ({ node: String(node) })

/** Makes one call to each key node in order, with the session of the client. */
function change<C extends CallDefinition>(
  client: Client,
  definition: C,
  inputFor: (params: { node: string }) => CallInput<C>,
  options: ChangeOptions,
): Promise<ChangeResult> {
  return changeNodes(client, (node) => callWithSession(client, definition, node, inputFor(at(node)), options), options)
}

/**
 * Shares a file with addresses. Idempotent.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE
 */
export async function shareFile(
  client: Client,
  cid: string,
  shareTo: readonly string[],
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, shareTo: [...shareTo] }
  return change(client, shareKey, (params) => ({ params, body }), options)
}

/**
 * Revokes the read access of addresses. Key nodes no longer return the key to them, but a reader who fetched the key
 * earlier may have kept it, and the encrypted bytes are public. To exclude a reader permanently, use `rotateFile`.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE
 */
export async function revokeAccess(
  client: Client,
  cid: string,
  revokeTo: readonly string[],
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, revokeTo: [...revokeTo] }
  return change(client, revokeKey, (params) => ({ params, body }), options)
}

/**
 * Transfers a file to another owner. Conditions stay; addresses it was shared with lose access unless `resetSharedTo`
 * is false. The previous owner may repeat the call to complete an interrupted transfer.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE, INVALID_REQUEST
 */
export async function transferFile(
  client: Client,
  cid: string,
  newOwner: string,
  { resetSharedTo = true, ...options }: ChangeOptions & { resetSharedTo?: boolean } = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, newOwner, resetSharedTo }
  return change(client, transferOwnershipCall, (params) => ({ params, body }), options)
}

/**
 * Sets the conditions under which anyone may read, and replaces the previous ones.
 * @throws CairnError INVALID_CONDITION, ACCESS_DENIED, CHAIN_NOT_SUPPORTED, CHANGE_INCOMPLETE
 */
export async function setConditions(
  client: Client,
  cid: string,
  conditions: ConditionsInput,
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const set = await checkConditions(conditions)
  const body = { address: sessionOf(client).address, cid, ...set }
  const reported: number[][] = []
  const result = await changeNodes(
    client,
    async (node) => {
      const { data } = await callWithSession(client, updateConditions, node, { params: at(node), body }, options)
      reported.push(data?.openConditions ?? [])
    },
    options,
  )
  return withOpenConditions(result, reported)
}

/**
 * Removes all conditions.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE
 */
export async function removeConditions(
  client: Client,
  cid: string,
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid }
  return change(client, removeConditionsCall, (params) => ({ params, body }), options)
}

/** Options of an explanation. */
type ExplainOptions = {
  /** The address to explain. Defaults to the caller's. */
  about?: string
  dynamicData?: Record<string, unknown>
  /** Queries only this node, instead of the first that answers. */
  node?: number
  signal?: AbortSignal
}

/**
 * Explains why an address may or may not read a file. The owner may query any address, other users their own.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND
 */
export async function explainAccess(
  client: Client,
  cid: string,
  { about, dynamicData, node: wanted, signal }: ExplainOptions = {},
): Promise<AccessVerdict> {
  const { address } = sessionOf(client)
  const body = {
    address,
    cid,
    ...(about === undefined ? {} : { about }),
    ...(dynamicData === undefined ? {} : { dynamicData }),
  }
  return firstSuccessful(wanted === undefined ? nodeNumbers : [wanted], (node) =>
    callWithSession(client, explainAccessCall, node, { params: at(node), body }, { signal }),
  )
}

/**
 * Evaluates unsaved conditions for an address, condition by condition, to test them before saving.
 * @throws CairnError INVALID_CONDITION, CHAIN_NOT_SUPPORTED, RATE_LIMITED
 */
export async function explainConditions(
  client: Client,
  conditions: ConditionsInput,
  { about, dynamicData, node: wanted, signal }: ExplainOptions = {},
): Promise<AccessVerdict> {
  const { address } = sessionOf(client)
  const body = {
    // A dry run changes no rights.
    ...(await checkConditions({ ...conditions, isOwnerless: true })),
    address,
    ...(about === undefined ? {} : { about }),
    ...(dynamicData === undefined ? {} : { dynamicData }),
  }
  return firstSuccessful(wanted === undefined ? nodeNumbers : [wanted], (node) =>
    callWithSession(client, explainConditionsCall, node, { params: at(node), body }, { signal }),
  )
}

/**
 * Retires a file key: key nodes return it only to the owner for 30 days, and then to no one.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, CHANGE_INCOMPLETE
 */
export async function retireKey(
  client: Client,
  cid: string,
  { successor, ...options }: ChangeOptions & { successor?: string } = {},
): Promise<ChangeResult> {
  const body = { address: sessionOf(client).address, cid, ...(successor === undefined ? {} : { successor }) }
  return change(client, retireKeyCall, (params) => ({ params, body }), options)
}
