import { needKeySession } from './key-session-request.ts'
import { changeSession, getSession } from './session-store.ts'

/**
 * Makes the key session of the signed-in user usable, after one more wallet signature if required. Call it from a user action,
 * never on load: no page opens a wallet by itself.
 * @throws CairnError ABORTED if the user declines, UNAUTHENTICATED without a signed-in user
 */
export async function ensureKeySession(): Promise<void> {
  const keySession = await needKeySession()
  if (getSession()?.keySession !== keySession) changeSession({ keySession })
}
