import { proveRequest as prove, type SessionKey, type SignedRequest } from '@cairn/crypto'
import { signEd25519 } from '#platform'

/** The curve of a session's key, and the text that opens one: loaded with the first session, so that nobody else pays for them. */
export { createSessionKey, writeSignIn } from '@cairn/crypto'

/** Proves a request, with the platform's own Ed25519 where it has one that answers at once. */
export function proveRequest(request: SignedRequest, key: SessionKey, timeMs: number): Promise<string> {
  return prove(request, key, timeMs, signEd25519)
}
