import {
  type ApiKeyInfo,
  type CallInput,
  createApiKey as createApiKeyCall,
  getMessage as getMessageCall,
  listApiKeys as listApiKeysCall,
  revokeApiKey as revokeApiKeyCall,
  type Scope,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { resolveSigner } from './resolve-signer.ts'

/** Who signs: a private key, or an address with a function that signs a text (an injected wallet, a viem client). */
export type Signer = { privateKey: string } | { address: string; sign(message: string): Promise<string> }

/** The text that a wallet signs to get an API key. It can be used once, within five minutes. @throws CairnError INVALID_ADDRESS */
export function getMessage(client: Client, address: string, options?: CallOptions): Promise<string> {
  return call(client, getMessageCall, { query: { publicKey: address } }, options)
}

/**
 * Makes an API key with a wallet. The key is shown this once.
 * @param wish `name` in lists, `scopes` it may use (all), `expiresAt` in ms since 1970 (never)
 * @throws CairnError INVALID_PRIVATE_KEY, INVALID_ADDRESS, INVALID_SIGNATURE
 */
export async function createApiKey(
  client: Client,
  signer: Signer,
  wish: { name?: string; scopes?: Scope[]; expiresAt?: number } = {},
  options?: CallOptions,
): Promise<string> {
  const { address, sign } = await resolveSigner(signer)
  const signedMessage = await sign(await getMessage(client, address, options))
  const body: CallInput<typeof createApiKeyCall>['body'] = { publicKey: address, signedMessage }
  if (wish.name !== undefined) body.keyName = wish.name
  if (wish.scopes !== undefined) body.scopes = wish.scopes
  if (wish.expiresAt !== undefined) body.expiresAt = wish.expiresAt
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
