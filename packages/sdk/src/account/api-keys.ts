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
import { resolveSigner } from './resolve-signer.ts'

/** Who signs: a private key, or an address with a function that signs a text (an injected wallet, a viem client). */
export type Signer = { privateKey: string } | { address: string; sign(message: string): Promise<string> }

/** What a signature is for: an API key with these rights until this end, or one upload. */
export type MessageUse = ({ purpose: 'api-key' } & KeyGrant) | { purpose: 'upload' }

/** What a new API key may do, and when it expires. */
export type KeyRights = {
  /** Defaults to `files:read` and `files:write`; `account` manages keys and takes keys of names out. */
  scopes?: readonly Scope[]
  /** ms since 1970, null for never. Defaults to 90 days from now. */
  expiresAt?: number | null
}

/**
 * The text that a wallet signs for an API key or for one upload. It says what for, can be used once, and expires after five
 * minutes.
 * @throws CairnError INVALID_ADDRESS, INVALID_REQUEST (an end that is past)
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
 * Makes an API key with a wallet, which signs what the key may do and when it expires. The key is shown this once.
 * @param request `name` in lists; rights as {@link KeyRights}
 * @throws CairnError INVALID_PRIVATE_KEY, INVALID_ADDRESS, INVALID_LABEL, INVALID_SIGNATURE, INVALID_REQUEST (an end that is past)
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

/** The account's keys that are not revoked; never the keys themselves. */
export async function listApiKeys(client: Client, options?: CallOptions): Promise<ApiKeyInfo[]> {
  return (await call(client, listApiKeysCall, {}, options)).keys
}

/** Ends a key at once. @throws CairnError NOT_FOUND */
export async function revokeApiKey(client: Client, id: string, options?: CallOptions): Promise<void> {
  await call(client, revokeApiKeyCall, { params: { id } }, options)
}
