import { scopes } from '@cairn/protocol'
import { createClient, type NetworkProfile } from '@cairn/sdk'
import type { Config } from 'wagmi'
import { getConnectedWallet } from '../wallet/connected-wallet.ts'
import { makeSessionKey } from './held-keys.ts'
import { getSession, startSession } from './session-store.ts'

/** How long a session holds, in ms: with the tab, and where the user asked to stay signed in. */
const tabSessionMs = 12 * 3_600_000
const lastingSessionMs = 30 * 24 * 3_600_000

/** Name that the session's key has in lists of API keys. */
export const sessionKeyName = 'Console session'

/**
 * Signs in with the connected wallet: one readable text is signed, for an API key that ends by itself and, where three key
 * nodes answer, a session with them. Who is signed in already gets both anew, and the old ones end.
 * @throws CairnError of the SDK's signIn; the wallet's own errors, see readWalletFault
 */
export async function signIn(network: NetworkProfile, config: Config, isLasting: boolean): Promise<void> {
  const wallet = getConnectedWallet(config)
  if (wallet === undefined) throw new Error('signIn before a wallet is connected')
  const calls = await import('./key-session-calls.ts')
  const sessionKey = await makeSessionKey(calls.createHeldSessionKey)
  const expiresAt = Date.now() + (isLasting ? lastingSessionMs : tabSessionMs)
  const { apiKey, keySession } = await calls.signIn(createClient({ network }), wallet, {
    name: sessionKeyName,
    scopes,
    expiresAt,
    ...(sessionKey === undefined ? {} : { sessionKey }),
  })
  const before = getSession()
  startSession({
    address: wallet.address,
    apiKey,
    expiresAt,
    isLasting,
    ...(keySession === undefined ? {} : { keySession }),
  })
  if (before !== undefined) await calls.endCredentials(network, before)
}
