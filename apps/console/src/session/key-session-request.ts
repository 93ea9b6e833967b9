import { CairnError, type KeySession } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { getSession } from './session-store.ts'

type Request = { promise: Promise<KeySession>; resolve(session: KeySession): void; reject(error: unknown): void }

let request: Request | undefined
const listeners = new Set<() => void>()

function set(next: Request | undefined): void {
  request = next
  for (const listener of listeners) listener()
}

/**
 * The session with the key nodes. Where there is none yet, a dialog says why the wallet is about to ask, and asks it: the
 * second signature comes only when key nodes are first needed.
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

/** Over where fewer than three nodes could still be spoken to. */
function isOver({ nodes, isClosing }: KeySession): boolean {
  const now = Date.now()
  return isClosing === true || nodes.filter((node) => node !== null && node.refreshExpiresAt > now).length < 3
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
