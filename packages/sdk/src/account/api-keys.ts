import {
  type ApiKeyInfo,
  type CallInput,
  createApiKey as createApiKeyCall,
  getMessage as getMessageCall,
  type KeyGrant,
  listApiKeys as listApiKeysCall,
  makeKeyGrant,
  revokeApiKey as revokeApiKeyCall,
  type Scope,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { resolveSigner, type Signer } from '../signer/resolve-signer.ts'

/** The purpose of a signature: an API key with these rights until it expires, or one upload. */
export type MessageUse = ({ purpose: 'api-key' } & KeyGrant) | { purpose: 'upload' }

/** Rights of a new API key, and when it expires. */
export type KeyRights = {
  /**
   * `account` manages API keys and exports name keys.
   * @defaultValue `['files:read', 'files:write']`
   */
  scopes?: readonly Scope[]
  /**
   * Expiry in ms since 1970; null for no expiry.
   * @defaultValue 90 days from now
   */
  expiresAt?: number | null
}

/**
 * Returns the text that a wallet signs for an API key or for one upload. The text names its purpose, is valid once, and
 * expires after five minutes.
 * @throws CairnError INVALID_ADDRESS, INVALID_REQUEST (an expiry in the past)
 */
export function getMessage(client: Client, address: string, use: MessageUse, options?: CallOptions): Promise<string> {
  const query: CallInput<typeof getMessageCall>['query'] = { publicKey: address, purpose: use.purpose }
  if (use.purpose === 'api-key') {
    query.scopes = use.scopes.join(',')
    query.expiresAt = use.expiresAt === null ? 'never' : String(use.expiresAt)
  }
  return call(client, getMessageCall, { query }, options)
}

/**
 * Creates an API key. The wallet signs the rights of the key and its expiry. The response is the only place that shows
 * the key.
 * @param request `name` for lists; rights as {@link KeyRights}
 * @throws CairnError INVALID_PRIVATE_KEY, INVALID_ADDRESS, INVALID_LABEL, INVALID_SIGNATURE, INVALID_REQUEST (an expiry
 *   in the past)
 */
export async function createApiKey(
  client: Client,
  signer: Signer,
  request: KeyRights & { name?: string } = {},
  options?: CallOptions,
): Promise<string> {
  const { address, sign } = await resolveSigner(signer)
  const use = { purpose: 'api-key', ...makeKeyGrant(request, Date.now()) } as const
  const signedMessage = await sign(await getMessage(client, address, use, options))
  const body: CallInput<typeof createApiKeyCall>['body'] = { publicKey: address, signedMessage }
  if (request.name !== undefined) body.keyName = request.name
  return call(client, createApiKeyCall, { body }, options)
}

/** Lists the API keys of the account that are not revoked, without their secrets. */
export async function listApiKeys(client: Client, options?: CallOptions): Promise<ApiKeyInfo[]> {
  return (await call(client, listApiKeysCall, {}, options)).keys
}

/**
 * Revokes an API key with immediate effect.
 * @throws CairnError NOT_FOUND
 */
export async function revokeApiKey(client: Client, id: string, options?: CallOptions): Promise<void> {
  await call(client, revokeApiKeyCall, { params: { id } }, options)
}
