import { CairnError, type KeySession } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { isOver } from './kept-key-session.ts'
import { getSession, watchSession } from './session-store.ts'

/** A request for a key session of an account. */
type Request = {
  address: string
  promise: Promise<KeySession>
  resolve(session: KeySession): void
  reject(error: unknown): void
}

let request: Request | undefined
const listeners = new Set<() => void>()

function set(next: Request | undefined): void {
  request = next
  for (const listener of listeners) listener()
}

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
  if (request === undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<KeySession>()
    promise.catch(() => undefined)
    set({ address, promise, resolve, reject })
    return promise
  }
  return request.promise
}

/** Returns the open request. */
export function getKeySessionRequest(): Request | undefined {
  return request
}

/** Completes a request with its answer; undefined declines it. @returns whether it was still open */
export function answerKeySession(asked: Request | undefined, answer: KeySession | undefined): boolean {
  if (request === undefined || asked !== request) return false
  if (answer === undefined) request.reject(new CairnError('ABORTED'))
  else request.resolve(answer)
  set(undefined)
  return true
}

// The caller continues with the current session, which must not belong to another account.
watchSession(() => {
  if (request !== undefined && getSession()?.address !== request.address) answerKeySession(request, undefined)
})

/** Returns whether a request for a key session is open. */
export function useKeySessionRequest(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => request !== undefined,
  )
}
