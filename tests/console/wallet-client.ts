import { type Client, createApiKey, createClient, openKeySession } from '@cairn/sdk'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { TestNetwork } from '../fixtures.ts'

/** The SDK's client for an account of a page's wallet, with its own session, to check what the page sees. */
export async function createAccountClient(
  { profile }: TestNetwork,
  account: PrivateKeyAccount | undefined,
): Promise<Client> {
  if (account === undefined) throw new Error('the wallet has no such account')
  const signer = { address: account.address, sign: (message: string) => account.signMessage({ message }) }
  const apiKey = await createApiKey(createClient({ network: profile }), signer)
  const keySession = await openKeySession(createClient({ network: profile }), signer)
  return createClient({ network: profile, apiKey, keySession })
}
