import * as v from 'valibot'
import { clearKey, keepKey, sweepKeys } from './held-keys.ts'
import { isOver, keptKeySession, reviveKeySession, withoutHeldKeys } from './kept-key-session.ts'
import type { Session } from './session.ts'
import { readEntry, removeEntry, writeEntry } from './session-database.ts'

/**
 * The session survives a reload in the session storage of its tab, or in IndexedDB if the user chose to stay signed in.
 * Both belong to this origin, which never runs user content. Neither contains the key that signs requests to the key
 * nodes: the browser holds it.
 */
const storageName = 'cairn.session'

const sessionSchema = v.object({
  address: v.string(),
  apiKey: v.string(),
  expiresAt: v.number(),
  isLasting: v.boolean(),
  keySession: v.exactOptional(keptKeySession),
})

/** Encodes a session as text, without the key that the browser holds. */
export function writeSession(session: Session): string {
  return JSON.stringify(session, withoutHeldKeys)
}

/** Stores the session, and replaces the previous one. */
export async function keepSession(session: Session): Promise<void> {
  const text = writeSession(session)
  const sessionKey = session.keySession?.sessionKey
  keepTabText(session.isLasting ? undefined : text)
  await Promise.all([
    sessionKey !== undefined && 'privateKey' in sessionKey ? keepKey(sessionKey) : undefined,
    session.isLasting ? writeEntry(storageName, text) : undefined,
  ])
}

/** Returns the stored session that is still valid: that of the tab, or the lasting one. Clears one that is not. */
export async function recallSession(): Promise<Session | undefined> {
  await sweepKeys()
  const ofTab = await recallOne(recallTabText(), () => keepTabText(undefined))
  return ofTab ?? recallOne(await readEntry(storageName), () => removeEntry(storageName))
}

async function recallOne(text: unknown, remove: () => void | Promise<void>): Promise<Session | undefined> {
  if (typeof text !== 'string') return undefined
  const session = await readSession(text)
  if (session !== undefined) return session
  const over = await parseSession(text)
  await Promise.all([remove(), over?.keySession === undefined ? undefined : clearKey(over.keySession)])
  return undefined
}

/** Decodes a session from text; returns undefined if it is invalid or has expired. */
export async function readSession(text: string): Promise<Session | undefined> {
  const session = await parseSession(text)
  return session !== undefined && session.expiresAt > Date.now() ? session : undefined
}

/** Clears the stored session, and its key. */
export async function clearSession(session: Session): Promise<void> {
  keepTabText(undefined)
  await Promise.all([
    removeEntry(storageName),
    session.keySession === undefined ? undefined : clearKey(session.keySession),
  ])
}

function recallTabText(): string | undefined {
  try {
    return sessionStorage.getItem(storageName) ?? undefined
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}

/** Without storage, or space in it, the session lasts as long as its page. */
function keepTabText(text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(storageName)
    else sessionStorage.setItem(storageName, text)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

async function parseSession(text: string): Promise<Session | undefined> {
  try {
    const parsed = v.safeParse(sessionSchema, JSON.parse(text))
    if (!parsed.success) return undefined
    const { keySession: kept, ...session } = parsed.output
    const keySession = kept === undefined ? undefined : await reviveKeySession(kept)
    return keySession === undefined || isOver(keySession) ? session : { ...session, keySession }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
