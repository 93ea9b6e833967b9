import type { KeySession } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { queryClient } from '../network/query-client.ts'
import { forgetSession, keepSession, recallSession } from './session-storage.ts'

/** Who is signed in, and with what. */
export type Session = {
  /** Address of the account, as the wallet writes it. */
  address: string
  /** Credential of storage; it ends by itself. */
  apiKey: string
  /** ms since 1970. */
  expiresAt: number
  /** Credentials of the key nodes, once they were needed. */
  keySession?: KeySession
  /** Kept beyond this tab. */
  isLasting: boolean
}

/** Why nobody is signed in any more; said until somebody signs in. */
export type EndReason = 'signed-out' | 'wallet-left' | 'account-changed' | 'expired'

type State = { session: Session | undefined; endReason: EndReason | undefined; isReady: boolean }

let state: State = { session: undefined, endReason: undefined, isReady: false }
const listeners = new Set<() => void>()

function set(next: Partial<State>): void {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

let timer: ReturnType<typeof setTimeout> | undefined
/** Timers hold at most so long. */
const longestTimerMs = 2 ** 31 - 1

function endInTime(session: Session): void {
  clearTimeout(timer)
  timer = setTimeout(
    () => (session.expiresAt <= Date.now() ? endSession('expired') : endInTime(session)),
    Math.min(longestTimerMs, Math.max(0, session.expiresAt - Date.now())),
  )
}

/** Takes up the session of an earlier page, where there is one that still holds. Asks no wallet. */
export async function resumeSession(): Promise<void> {
  const session = await recallSession()
  if (session !== undefined) endInTime(session)
  set({ session, isReady: true })
}

export function startSession(session: Session): void {
  // Nothing that another account saw stays.
  if (state.session?.address !== session.address) clearData()
  endInTime(session)
  set({ session, endReason: undefined })
  void keepSession(session)
}

/** Notes new credentials of the session that runs. */
export function changeSession(change: Partial<Session>): void {
  if (state.session === undefined) return
  const session = { ...state.session, ...change }
  set({ session })
  void keepSession(session)
}

/** Ends the session here, at once: credentials and all data of the account leave the page. */
export function endSession(endReason: EndReason): Session | undefined {
  const { session } = state
  if (session === undefined) return undefined
  clearTimeout(timer)
  set({ session: undefined, endReason })
  clearData()
  void forgetSession(session)
  return session
}

function clearData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'network' })
}

export function getSession(): Session | undefined {
  return state.session
}

/** Calls back whenever who is signed in changes. */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The session, followed; undefined when nobody is signed in. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(watchSession, getSession)
}

/** Whether it is known yet if somebody is signed in, and why nobody is. */
export function useSessionState(): State {
  return useSyncExternalStore(watchSession, () => state)
}
