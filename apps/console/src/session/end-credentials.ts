import { CairnError, createClient, type NetworkProfile, revokeApiKey } from '@cairn/sdk'
import { loadCode } from '../parts/load-code.ts'
import { keepClosing } from './closing-sessions.ts'
import { keyIdOf } from './key-id.ts'
import type { Session } from './session-store.ts'

/**
 * Revokes the credentials of a session at their services. The API key is revoked without code that is not loaded yet.
 * @returns whether the API key is revoked; otherwise it expires
 */
export async function endCredentials(network: NetworkProfile, session: Session): Promise<boolean> {
  const [isRevoked] = await Promise.all([isDone(revokeKey(network, session)), closeKeySession(network, session)])
  return isRevoked
}

/** Errors that mean that the service no longer accepts a key: nothing is left to do there. */
const over: readonly string[] = ['UNAUTHENTICATED', 'API_KEY_REVOKED', 'API_KEY_EXPIRED', 'NOT_FOUND']

/** Returns whether nothing is left to do. Throws only errors that come from neither a service nor a connection. */
export async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (!CairnError.is(error)) throw error
    return over.includes(error.code)
  }
}

async function revokeKey(network: NetworkProfile, { apiKey }: Session): Promise<void> {
  const keyId = keyIdOf(apiKey)
  if (keyId !== undefined) await revokeApiKey(createClient({ network, apiKey }), keyId)
}

/** Closes the session at the key nodes. A notice names those where it stays open, and closes it there later. */
async function closeKeySession(network: NetworkProfile, { keySession }: Session): Promise<void> {
  if (keySession === undefined) return
  try {
    const { endKeySession } = await loadCode(import('../session/key-session-calls.ts'))
    await endKeySession(createClient({ network }), keySession)
  } catch (error) {
    if (!CairnError.is(error)) throw error
    await keepClosing(keySession)
  }
}
