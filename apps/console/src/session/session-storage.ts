import * as v from 'valibot'
import { keepText, recallText } from '../wallet/kept-text.ts'
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
const ofTab = 'sessionStorage'

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
  keepText(storageName, session.isLasting ? undefined : text, ofTab)
  await Promise.all([
    sessionKey !== undefined && 'privateKey' in sessionKey ? keepKey(sessionKey) : undefined,
    session.isLasting ? writeEntry(storageName, text) : undefined,
  ])
}

/** Returns the stored session that is still valid: that of the tab, else the lasting one. Clears both if there is none. */
export async function recallSession(): Promise<Session | undefined> {
  await sweepKeys()
  let over: Session | undefined
  for (const text of [recallText(storageName, ofTab), await readEntry(storageName)]) {
    const session = typeof text === 'string' ? await parseSession(text) : undefined
    if (session !== undefined && session.expiresAt > Date.now()) return session
    over ??= session
  }
  await clearSession(over)
  return undefined
}

/** Decodes a session from text; returns undefined if it is invalid or has expired. */
export async function readSession(text: string): Promise<Session | undefined> {
  const session = await parseSession(text)
  return session !== undefined && session.expiresAt > Date.now() ? session : undefined
}

/** Clears the stored session, and its key. */
export async function clearSession(session: Session | undefined): Promise<void> {
  keepText(storageName, undefined, ofTab)
  await Promise.all([
    removeEntry(storageName),
    session?.keySession === undefined ? undefined : clearKey(session.keySession),
  ])
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
