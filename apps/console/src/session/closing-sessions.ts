import type { KeySession } from '@cairn/sdk'
import * as v from 'valibot'
import { createStore, useStore } from '../state/store.ts'
import { clearKey, keepKey } from './held-keys.ts'
import { keptKeySession, reviveKeySession, withoutHeldKeys } from './kept-key-session.ts'
import { listEntries, readEntry, removeEntry, writeEntry } from './session-database.ts'

/**
 * Sessions that were closed while key nodes were unreachable: stored until they are closed there too, or expire. They
 * serve no other purpose.
 */
const closing = createStore<readonly KeySession[]>([])
const prefix = 'closing:'

function add(session: KeySession): void {
  closing.set([...closing.get().filter((one) => nameOf(one) !== nameOf(session)), session])
}

const nameOf = ({ sessionKey }: KeySession) => prefix + sessionKey.publicKey

/** Returns when the remainder of a session expires, in ms since 1970; 0 if nothing remains. */
export function endOf({ nodes }: KeySession): number {
  return Math.max(0, ...nodes.map((node) => node?.refreshExpiresAt ?? 0))
}

/** Stores a session that is still open at some nodes. */
export async function keepClosing(session: KeySession): Promise<void> {
  add(session)
  const { sessionKey } = session
  await Promise.all([
    'privateKey' in sessionKey ? keepKey(sessionKey) : undefined,
    writeEntry(nameOf(session), JSON.stringify(session, withoutHeldKeys)),
  ])
}

/** Removes a session that is closed everywhere. */
export async function dropClosing(session: KeySession): Promise<void> {
  closing.set(closing.get().filter((one) => nameOf(one) !== nameOf(session)))
  await Promise.all([clearKey(session), removeEntry(nameOf(session))])
}

/** Restores the sessions of earlier pages. */
export async function recallClosing(): Promise<readonly KeySession[]> {
  for (const name of await listEntries(prefix)) {
    const text = await readEntry(name)
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), keptKeySession), text)
    const session = parsed.success ? await reviveKeySession(parsed.output) : undefined
    if (session !== undefined && endOf(session) > Date.now()) add(session)
    else await removeEntry(name)
  }
  return closing.get()
}

/** Returns the sessions still open at some nodes, and rerenders on changes. */
export function useClosing(): readonly KeySession[] {
  return useStore(closing)
}
