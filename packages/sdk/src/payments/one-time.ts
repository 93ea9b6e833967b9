import { getMessage, type Signer } from '../account/api-keys.ts'
import { resolveSigner } from '../account/resolve-signer.ts'
import type { Client } from '../client.ts'
import type { CallOptions } from '../request.ts'

/**
 * Authorises one upload with a wallet, without an API key: give what comes as `apiKey` to `createClient` and upload once,
 * within five minutes. The signed text says so, and is good for nothing else. What it stores counts towards the wallet's account.
 * @throws CairnError INVALID_PRIVATE_KEY, INVALID_ADDRESS
 */
export async function authorizeOnce(client: Client, signer: Signer, options?: CallOptions): Promise<string> {
  const { address, sign } = await resolveSigner(signer)
  return `${address}$${await sign(await getMessage(client, address, { purpose: 'upload' }, options))}`
}
