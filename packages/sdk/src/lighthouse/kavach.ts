// The functions of the published key client: same names, positions, defaults and results; its defects are not copied.
import { generateKey, recoverKey as recover, splitKey } from '@cairn/crypto'
import {
  CairnError,
  createConditions,
  getConditions,
  getJwt,
  getKeyMessage,
  isCid,
  type KeyShard,
  keyShardCount,
  keyShardThreshold,
  parseConditions,
  renewJwt,
  retrieveShard,
  revokeKey,
  saveShard,
  shareKey,
  transferOwnership as transferOwnershipCall,
  updateConditions,
} from '@cairn/protocol'
import { pause } from '../request.ts'
import { lighthouseConfig } from './config.ts'
import { type ChangeAnswer, callFive, callRouter } from './key-router.ts'

const at = (node: number) => ({ node: String(node) })

/**
 * Creates a key and its shards: any `threshold` of them recover it.
 * @throws CairnError INVALID_THRESHOLD ('keyCount must be greater then threshold')
 */
export async function generate(
  threshold = keyShardThreshold,
  keyCount = keyShardCount,
): Promise<{ masterKey: string; keyShards: KeyShard[] }> {
  return generateKey(threshold, keyCount)
}

/** Splits an existing key; `isShardable` is false if it cannot be split. */
export async function shardKey(
  key: string,
  threshold = keyShardThreshold,
  keyCount = keyShardCount,
): Promise<{ isShardable: boolean; keyShards: KeyShard[] }> {
  try {
    return { isShardable: true, keyShards: splitKey(key, threshold, keyCount) }
  } catch (error) {
    if (!CairnError.is(error, 'KEY_NOT_SHARDABLE') && !CairnError.is(error, 'INVALID_THRESHOLD')) throw error
    return { isShardable: false, keyShards: [] }
  }
}

/**
 * Recovers a key from at least three shards.
 * @throws CairnError INVALID_SHARD
 */
export async function recoverKey(
  keyShards: KeyShard[],
): Promise<{ masterKey: string; error: null } | { masterKey: null; error: string }> {
  const areShards =
    Array.isArray(keyShards) &&
    keyShards.every((shard) => typeof shard?.key === 'string' && typeof shard?.index === 'string')
  if (!areShards || keyShards.length === 0) throw new CairnError('INVALID_SHARD')
  try {
    return { masterKey: recover(keyShards), error: null }
  } catch (error) {
    if (!CairnError.is(error, 'KEY_NOT_RECOVERED') && !CairnError.is(error, 'INVALID_SHARD')) throw error
    return { masterKey: null, error: "can't recover Key" }
  }
}

/** Returns the message that a wallet signs for one operation with the key nodes, or for a JWT. */
export async function getAuthMessage(
  address: string,
): Promise<{ message: string; error: null } | { message: null; error: CairnError }> {
  try {
    const [first] = await callRouter(getKeyMessage, { params: { address } })
    if (first === undefined) throw new CairnError('UNEXPECTED_RESPONSE')
    return { message: first.message, error: null }
  } catch (error) {
    return { message: null, error: CairnError.from(error) }
  }
}

/** Returns a JWT for a signature, or for the refresh token of an earlier JWT. */
export async function getJWT(
  address: string,
  payload: string,
  useAsRefreshToken = false,
  chain = 'ALL',
): Promise<
  { JWT: string; refreshToken: string; error: null } | { JWT: null; refreshToken?: undefined; error: string }
> {
  try {
    const { token, refreshToken } = useAsRefreshToken
      ? await callRouter(renewJwt, { body: { address, refreshToken: payload } })
      : await callRouter(getJwt, { body: { address, signature: payload, chain } })
    return { JWT: token, refreshToken, error: null }
  } catch (error) {
    if (!CairnError.is(error)) throw error
    // Callers of the published client compare this text, whatever the reason.
    return { JWT: null, error: 'Invalid Signature' }
  }
}

/** Saves five shards, one on each node, and shares the file if addresses are given. */
export async function saveShards(
  address: string,
  cid: string,
  auth_token: string,
  keyShards: KeyShard[],
  shareTo: string[] | null = [],
): Promise<ChangeAnswer> {
  const wrong = checkShards(cid, keyShards)
  if (wrong !== undefined) return wrong
  return callFive((node) => {
    const payload = keyShards[node - 1] ?? { key: '', index: '' }
    const body = { address, cid, payload, ...(shareTo === null || shareTo.length === 0 ? {} : { sharedTo: shareTo }) }
    return callRouter(saveShard, { params: at(node), body }, auth_token)
  })
}

/** Shares a file with addresses. */
export async function shareToAddress(
  address: string,
  cid: string,
  auth_token: string,
  shareTo: string[],
): Promise<ChangeAnswer> {
  if (!isCid(cid)) return invalidCid()
  return callFive((node) => callRouter(shareKey, { params: at(node), body: { address, cid, shareTo } }, auth_token))
}

/** Revokes the read access of addresses. */
export async function revokeAccess(
  address: string,
  cid: string,
  auth_token: string,
  revokeTo: string[],
): Promise<ChangeAnswer> {
  if (!isCid(cid)) return invalidCid()
  return callFive((node) => callRouter(revokeKey, { params: at(node), body: { address, cid, revokeTo } }, auth_token))
}

/** Transfers a file to another owner. */
export async function transferOwnership(
  address: string,
  cid: string,
  newOwner: string,
  auth_token: string,
  resetSharedTo = true,
): Promise<ChangeAnswer> {
  if (!isCid(cid)) return invalidCid()
  return callFive((node) =>
    callRouter(
      transferOwnershipCall,
      { params: at(node), body: { address, cid, newOwner, resetSharedTo } },
      auth_token,
    ),
  )
}

/** Sets the conditions of a file: with its five shards on the first save, without them later. */
export async function accessControl(
  address: string,
  cid: string,
  auth_token: string,
  conditions: readonly unknown[],
  aggregator?: string,
  chainType = 'evm',
  keyShards: KeyShard[] = [],
  decryptionType = 'ADDRESS',
): Promise<ChangeAnswer> {
  const isUpdate = Array.isArray(keyShards) && keyShards.length === 0
  const wrong = isUpdate ? (isCid(cid) ? undefined : invalidCid()) : checkShards(cid, keyShards)
  if (wrong !== undefined) return wrong
  try {
    // An update without conditions removes them.
    parseConditions({ conditions, aggregator, chainType, decryptionType }, { allowEmpty: isUpdate })
  } catch (error) {
    return { isSuccess: false, error: CairnError.from(error) }
  }
  const body = {
    address,
    cid,
    conditions: [...conditions],
    chainType,
    ...(aggregator === undefined ? {} : { aggregator }),
    // Always sent with the shards; later only if it differs from the default.
    ...(!isUpdate || decryptionType !== 'ADDRESS' ? { decryptionType } : {}),
  }
  return callFive((node) => {
    const payload = keyShards[node - 1]
    return payload === undefined
      ? callRouter(updateConditions, { params: at(node), body }, auth_token)
      : callRouter(createConditions, { params: at(node), body: { ...body, payload } }, auth_token)
  })
}

/** Fetches shards of a file from random nodes, one after the other. */
export async function recoverShards(
  address: string,
  cid: string,
  auth_token: string,
  numOfShards = keyShardThreshold,
  dynamicData: Record<string, unknown> = {},
): Promise<{ shards: KeyShard[]; error: unknown }> {
  if (!isCid(cid)) return { shards: [], error: new CairnError('INVALID_CID') }
  // Programs without types pass '3', too.
  const count = Number(numOfShards)
  if (!Number.isInteger(count) || count < 1 || count > keyShardCount)
    return {
      shards: [],
      error: new CairnError('INVALID_KEY_SHARDS', { message: `numOfShards must be 1 to ${keyShardCount}` }),
    }
  const nodes = Array.from({ length: keyShardCount }, (_node, i) => ({ node: i + 1, turn: Math.random() }))
    .sort((a, b) => a.turn - b.turn)
    .slice(0, count)
    .map(({ node }) => node)
    .sort((a, b) => a - b)
  const shards: KeyShard[] = []
  try {
    for (const [i, node] of nodes.entries()) {
      if (i > 0) await pause(lighthouseConfig.keyNodePauseMs, undefined)
      const body = { address, cid, dynamicData }
      shards.push((await callRouter(retrieveShard, { params: at(node), body }, auth_token)).payload)
    }
    return { shards, error: null }
  } catch (error) {
    const isUnknown = CairnError.is(error, 'KEY_NOT_FOUND')
    return { shards: [], error: isUnknown ? 'cid not found' : CairnError.from(error) }
  }
}

/**
 * Returns the conditions and owner of a file.
 * @throws CairnError KEY_NOT_FOUND, INVALID_CID
 */
export async function getAccessCondition(cid: string) {
  return { data: await callRouter(getConditions, { params: { cid } }) }
}

function checkShards(cid: string, keyShards: readonly KeyShard[]): ChangeAnswer | undefined {
  if (!isCid(cid)) return invalidCid()
  if (Array.isArray(keyShards) && keyShards.length === keyShardCount) return undefined
  return { isSuccess: false, error: new CairnError('INVALID_KEY_SHARDS') }
}

function invalidCid(): ChangeAnswer {
  return { isSuccess: false, error: new CairnError('INVALID_CID') }
}
