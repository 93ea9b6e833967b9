import { createApiKey, createClient, type NetworkProfile } from '@cairn/sdk'
import type { Config } from 'wagmi'
import { getConnectedWallet } from '../wallet/connected-wallet.ts'
import { startSession } from './session-store.ts'

/** How long a session holds, in ms: with the tab, and where the user asked to stay signed in. */
const tabSessionMs = 12 * 3_600_000
const lastingSessionMs = 30 * 24 * 3_600_000

/** Name that the session's key has in lists of API keys. */
export const sessionKeyName = 'Console session'

/**
 * Signs in with the connected wallet: one readable text is signed, for a key that ends by itself.
 * @throws CairnError of createApiKey; the wallet's own errors, see readWalletFault
 */
export async function signIn(network: NetworkProfile, config: Config, isLasting: boolean): Promise<void> {
  const wallet = getConnectedWallet(config)
  if (wallet === undefined) throw new Error('signIn before a wallet is connected')
  const expiresAt = Date.now() + (isLasting ? lastingSessionMs : tabSessionMs)
  const apiKey = await createApiKey(createClient({ network }), wallet, { name: sessionKeyName, expiresAt })
  startSession({ address: wallet.address, apiKey, expiresAt, isLasting })
}
