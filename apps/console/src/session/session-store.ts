import { CairnError } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { queryClient } from '../network/query-client.ts'
import { takeParts } from './kept-key-session.ts'
import type { Session } from './session.ts'
import { clearSession, keepSession, readSession, recallSession, writeSession } from './session-storage.ts'
import { announceEnd, announceSession, askTabs, type EndReason, holdSession, watchTabs } from './session-tabs.ts'

export type { Session } from './session.ts'

export type { EndReason }

/** `endReason` is the reason that the session ended, until the next sign-in. */
type State = { session: Session | undefined; endReason: EndReason | undefined; isReady: boolean }

let state: State = { session: undefined, endReason: undefined, isReady: false }
const listeners = new Set<() => void>()

function set(next: Partial<State>): void {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

/** API keys of sessions that ended, here or in another tab. Reports about them may arrive later, and are ignored. */
const ended = new Set<string>()
/** Number of the newest session text that this tab has started to read. */
let newest = 0

let timer: ReturnType<typeof setTimeout> | undefined
/** Maximum delay of a timer. */
const maxTimerMs = 2 ** 31 - 1

function endInTime(session: Session): void {
  clearTimeout(timer)
  timer = setTimeout(
    () => (session.expiresAt <= Date.now() ? endSession('expired') : endInTime(session)),
    Math.min(maxTimerMs, Math.max(0, session.expiresAt - Date.now())),
  )
}

/** Resumes the valid session of another tab or of a previous page, if there is one. Does not use the wallet. */
export async function resumeSession(): Promise<void> {
  watchTabs({
    readText: () => (state.session === undefined ? undefined : writeSession(state.session)),
    onChanged: (text) => void adoptText(text),
    onEnded: (apiKey, reason) => {
      ended.add(apiKey)
      if (state.session?.apiKey === apiKey) dropSession(reason)
    },
  })
  // The session of another tab is at least as new: it may have renewed its tokens since this page stored them.
  const text = await askTabs()
  const session = (text === undefined ? undefined : await readSession(text)) ?? (await recallSession())
  if (session !== undefined && state.session === undefined) {
    if (ended.has(session.apiKey)) await clearSession(session)
    else adopt(session)
  }
  set({ isReady: true })
}

/** Adopts a session that another tab started or changed. */
async function adoptText(text: string): Promise<void> {
  const own = ++newest
  if (state.session !== undefined && writeSession(state.session) === text) return
  const session = await readSession(text)
  // The key is read from the browser. Meanwhile the session may have ended, or a newer one has come.
  if (session !== undefined && own === newest && !ended.has(session.apiKey)) adopt(session)
}

function adopt(next: Session): void {
  newest++
  // Clears all data of another account.
  if (state.session?.address !== next.address) clearData()
  const session = withOwnKeySession(next)
  endInTime(session)
  holdSession(true)
  set({ session, endReason: undefined })
  void keepSession(session)
}

/** Running work uses the key session that it started with, so renewals from another tab are copied into that object. */
function withOwnKeySession(next: Session): Session {
  const own = state.session?.keySession
  const { keySession } = next
  if (own === undefined || own.sessionKey.publicKey !== keySession?.sessionKey.publicKey) return next
  takeParts(own, keySession)
  return { ...next, keySession: own }
}

export function startSession(session: Session): void {
  adopt(session)
  announceSession(writeSession(session))
}

/** Updates the credentials of the current session. */
export function changeSession(change: Partial<Session>): void {
  if (state.session === undefined) return
  const session = { ...state.session, ...change }
  set({ session })
  void keepSession(session)
  announceSession(writeSession(session))
}

/** Ends the session in every tab immediately, and clears credentials and account data from the pages. */
export function endSession(endReason: EndReason): Session | undefined {
  const session = dropSession(endReason)
  if (session !== undefined) announceEnd(session.apiKey, endReason)
  return session
}

/** Returns whether an error means that the service does not accept the API key, or no longer does. */
export function isRefusedKey(error: unknown): boolean {
  return refusals.some((code) => CairnError.is(error, code))
}

const refusals = ['API_KEY_EXPIRED', 'API_KEY_REVOKED', 'UNAUTHENTICATED'] as const

/** Ends the session if this error says that the service no longer accepts its API key. */
export function endRefusedSession(error: unknown): void {
  if (isRefusedKey(error)) endSession(CairnError.is(error, 'API_KEY_EXPIRED') ? 'expired' : 'revoked')
}

/** Ends the session in this tab. */
function dropSession(endReason: EndReason): Session | undefined {
  const { session } = state
  if (session === undefined) return undefined
  ended.add(session.apiKey)
  clearTimeout(timer)
  holdSession(false)
  set({ session: undefined, endReason })
  clearData()
  void clearSession(session)
  return session
}

/** Data that belongs to no account stays: a page that reads it would wait for a query that is gone. */
const publicKeys: readonly unknown[] = ['network', 'link', 'upload-link']

function clearData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => !publicKeys.includes(queryKey[0]) })
}

export function getSession(): Session | undefined {
  return state.session
}

/** Returns whether the session ended without the user, who may sign in again and continue. */
export function isInterrupted(): boolean {
  return state.session === undefined && (state.endReason === 'expired' || state.endReason === 'revoked')
}

/** Subscribes to changes of the signed-in account. */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the session, and rerenders on changes; undefined without a signed-in user. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(watchSession, getSession)
}

/** Returns whether the session state is known yet, and why the session ended. */
export function useSessionState(): State {
  return useSyncExternalStore(watchSession, () => state)
}
