import { CairnError, type KeySession } from '@cairn/sdk'
import { createStore, useStore } from '../state/store.ts'
import { isOver } from './kept-key-session.ts'
import { getSession, watchSession } from './session-store.ts'

/** A request for a key session of an account. */
type Request = {
  address: string
  promise: Promise<KeySession>
  resolve(session: KeySession): void
  reject(error: unknown): void
}

const request = createStore<Request | undefined>(undefined)

/**
 * Returns the key session, usually that of the sign-in. If there is no valid one, a dialog explains why the wallet
 * opens again, and requests the signature.
 * @throws CairnError ABORTED if the user closes the dialog or the session ends, UNAUTHENTICATED without a signed-in user
 */
export function needKeySession(): Promise<KeySession> {
  const session = getSession()
  if (session === undefined) return Promise.reject(new CairnError('UNAUTHENTICATED'))
  const { address, keySession } = session
  if (keySession !== undefined && !isOver(keySession)) return Promise.resolve(keySession)
  const open = request.get()
  if (open !== undefined) return open.promise
  const { promise, resolve, reject } = Promise.withResolvers<KeySession>()
  promise.catch(() => undefined)
  request.set({ address, promise, resolve, reject })
  return promise
}

/** Returns the open request. */
export function getKeySessionRequest(): Request | undefined {
  return request.get()
}

/** Completes a request with its answer; undefined declines it. @returns whether it was still open */
export function answerKeySession(asked: Request | undefined, answer: KeySession | undefined): boolean {
  if (asked === undefined || asked !== request.get()) return false
  if (answer === undefined) asked.reject(new CairnError('ABORTED'))
  else asked.resolve(answer)
  request.set(undefined)
  return true
}

// The caller continues with the current session, which must not belong to another account.
watchSession(() => {
  const open = request.get()
  if (open !== undefined && getSession()?.address !== open.address) answerKeySession(open, undefined)
})

/** Returns whether a request for a key session is open. */
export function useKeySessionRequest(): boolean {
  return useStore(request) !== undefined
}
