/** The curve of a session's key, and the text that opens one: loaded with the first session, so that nobody else pays for them. */
export { createSessionKey, proveRequest, writeSignIn } from '@cairn/crypto'
