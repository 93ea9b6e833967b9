import { scopes } from '@cairn/protocol'
import { CairnError, createClient, type NetworkProfile } from '@cairn/sdk'
import type { Config } from 'wagmi'
import { loadCode } from '../parts/load-code.ts'
import { getConnectedWallet } from './connected-wallet.ts'
import { endCredentials } from './end-credentials.ts'
import { makeSessionKey } from './held-keys.ts'
import { sessionKeyName } from './session-key-name.ts'
import { getSession, type Session, startSession } from './session-store.ts'

/** Lifetime of a session in ms: with the tab, and if the user chose to stay signed in. */
const tabSessionMs = 12 * 3_600_000
const lastingSessionMs = 30 * 24 * 3_600_000

/**
 * Signs in with the connected wallet: one readable message is signed, for an API key that expires and, if three key
 * nodes answer, a session with them. A signed-in user gets new ones of both, and the old ones are revoked.
 * @param signal ends the sign-in: credentials for a signature that comes later are revoked
 * @throws CairnError of the SDK's signIn; ABORTED, also if another account has signed in, or the wallet shows another one or none,
 *   by then; the errors of the wallet, see readWalletFailure
 */
export async function signIn(
  network: NetworkProfile,
  config: Config,
  isLasting: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const wallet = getConnectedWallet(config)
  if (wallet === undefined) throw new Error('signIn before a wallet is connected')
  const calls = await loadCode(import('./key-session-calls.ts'))
  const sessionKey = await makeSessionKey(calls.createHeldSessionKey)
  const expiresAt = Date.now() + (isLasting ? lastingSessionMs : tabSessionMs)
  const { apiKey, keySession } = await calls.signIn(createClient({ network }), wallet, {
    name: sessionKeyName,
    scopes,
    expiresAt,
    ...(sessionKey === undefined ? {} : { sessionKey }),
  })
  const { address } = wallet
  const session: Session = {
    address,
    apiKey,
    expiresAt,
    isLasting,
    ...(keySession === undefined ? {} : { keySession }),
  }
  const before = getSession()
  // Users may take a long time in the wallet, and choose another account there.
  const isLeft = getConnectedWallet(config)?.address !== address
  if (signal?.aborted || isLeft || (before !== undefined && before.address !== address)) {
    await endCredentials(network, session)
    throw new CairnError('ABORTED')
  }
  startSession(session)
  if (before !== undefined) await endCredentials(network, before)
}
