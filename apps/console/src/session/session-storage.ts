import * as v from 'valibot'
import { forgetKey, keepKey, sweepKeys } from './held-keys.ts'
import { isOver, keptKeySession, reviveKeySession, withoutHeldKeys } from './kept-key-session.ts'
import { readEntry, removeEntry, writeEntry } from './session-database.ts'
import type { Session } from './session-store.ts'

/**
 * Where the session outlives a reload: session storage, which ends with the tab, or IndexedDB where the user asked to stay
 * signed in. Both belong to this origin, on which nothing of any user's content ever runs. The key that signs for the key
 * nodes is in neither text: the browser holds it.
 */
const storageName = 'cairn.session'

const sessionSchema = v.object({
  address: v.string(),
  apiKey: v.string(),
  expiresAt: v.number(),
  isLasting: v.boolean(),
  keySession: v.exactOptional(keptKeySession),
})

/** Keeps the session, in place of what was kept. */
export async function keepSession(session: Session): Promise<void> {
  const text = JSON.stringify(session, withoutHeldKeys)
  const sessionKey = session.keySession?.sessionKey
  if (session.isLasting) sessionStorage.removeItem(storageName)
  else sessionStorage.setItem(storageName, text)
  await Promise.all([
    sessionKey !== undefined && 'privateKey' in sessionKey ? keepKey(sessionKey) : undefined,
    session.isLasting ? writeEntry(storageName, text) : undefined,
  ])
}

/** The session that is kept, where it still holds. */
export async function recallSession(): Promise<Session | undefined> {
  const text: unknown = sessionStorage.getItem(storageName) ?? (await readEntry(storageName))
  await sweepKeys()
  if (typeof text !== 'string') return undefined
  const session = await parseSession(text)
  if (session !== undefined && session.expiresAt > Date.now()) return session
  await forgetSession(session)
  return undefined
}

/** Forgets the session that is kept, and its key. */
export async function forgetSession(session: Session | undefined): Promise<void> {
  sessionStorage.removeItem(storageName)
  await Promise.all([
    removeEntry(storageName),
    session?.keySession === undefined ? undefined : forgetKey(session.keySession),
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
