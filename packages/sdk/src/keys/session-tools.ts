import { proveRequest as prove, type SessionKey, type SignedRequest } from '@cairn/crypto'
import { signEd25519 } from '#platform/native-crypto'

/**
 * The curve of a session key and the message that opens a session: loaded with the first session, so that other pages
 * do not download them.
 */
export { createSessionKey, writeSignIn } from '@cairn/crypto'

/** Signs a request, with the Ed25519 of the platform if it is synchronous. */
export function proveRequest(request: SignedRequest, key: SessionKey, timeMs: number): Promise<string> {
  return prove(request, key, timeMs, signEd25519)
}
