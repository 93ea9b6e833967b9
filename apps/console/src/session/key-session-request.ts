import { CairnError, type KeySession } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { isOver } from './kept-key-session.ts'
import { getSession } from './session-store.ts'

type Request = { promise: Promise<KeySession>; resolve(session: KeySession): void; reject(error: unknown): void }

let request: Request | undefined
const listeners = new Set<() => void>()

function set(next: Request | undefined): void {
  request = next
  for (const listener of listeners) listener()
}

/**
 * The session with the key nodes: that of the sign-in, as a rule. Where it has none that holds, a dialog says why the wallet
 * is about to ask again, and asks it.
 * @throws CairnError ABORTED when the user closes the dialog, UNAUTHENTICATED when nobody is signed in
 */
export function needKeySession(): Promise<KeySession> {
  const session = getSession()
  if (session === undefined) return Promise.reject(new CairnError('UNAUTHENTICATED'))
  const { keySession } = session
  if (keySession !== undefined && !isOver(keySession)) return Promise.resolve(keySession)
  if (request === undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<KeySession>()
    promise.catch(() => undefined)
    set({ promise, resolve, reject })
    return promise
  }
  return request.promise
}

/** Answers the request that is open. */
export function answerKeySession(answer: KeySession | undefined): void {
  if (request === undefined) return
  if (answer === undefined) request.reject(new CairnError('ABORTED'))
  else request.resolve(answer)
  set(undefined)
}

/** Whether somebody waits for a session with the key nodes. */
export function useKeySessionRequest(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => request !== undefined,
  )
}
