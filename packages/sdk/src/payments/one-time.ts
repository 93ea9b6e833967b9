import { getMessage } from '../account/api-keys.ts'
import type { Client } from '../client.ts'
import type { CallOptions } from '../request.ts'
import type { Signer } from '../signer/resolve-signer.ts'
import { resolveSigner } from '../signer/resolve-signer.ts'

/**
 * Authorises one upload with a wallet, without an API key: pass the result as `apiKey` to `createClient`, and upload
 * once within five minutes. The signed message states this and is valid for nothing else. The upload counts towards the
 * account of the wallet.
 * @throws CairnError INVALID_PRIVATE_KEY, INVALID_ADDRESS
 */
export async function authorizeOnce(client: Client, signer: Signer, options?: CallOptions): Promise<string> {
  const { address, sign } = await resolveSigner(signer)
  return `${address}$${await sign(await getMessage(client, address, { purpose: 'upload' }, options))}`
}
