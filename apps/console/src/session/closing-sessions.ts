import type { KeySession } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import * as v from 'valibot'
import { forgetKey, keepKey } from './held-keys.ts'
import { keptKeySession, reviveKeySession, withoutHeldKeys } from './kept-key-session.ts'
import { listEntries, readEntry, removeEntry, writeEntry } from './session-database.ts'

/**
 * Sessions that were ended while key nodes could not be reached: kept until they are ended there too, or their time is over.
 * They are good for nothing else.
 */
let closing: readonly KeySession[] = []
const listeners = new Set<() => void>()
const prefix = 'closing:'

function set(next: readonly KeySession[]): void {
  closing = next
  for (const listener of listeners) listener()
}

function add(session: KeySession): void {
  set([...closing.filter((one) => nameOf(one) !== nameOf(session)), session])
}

const nameOf = ({ sessionKey }: KeySession) => prefix + sessionKey.publicKey

/** When what is left of a session ends by itself, ms since 1970; 0 where nothing is left. */
export function endOf({ nodes }: KeySession): number {
  return Math.max(0, ...nodes.map((node) => node?.refreshExpiresAt ?? 0))
}

/** Notes a session that is still open at some nodes. */
export async function keepClosing(session: KeySession): Promise<void> {
  add(session)
  const { sessionKey } = session
  await Promise.all([
    'privateKey' in sessionKey ? keepKey(sessionKey) : undefined,
    writeEntry(nameOf(session), JSON.stringify(session, withoutHeldKeys)),
  ])
}

/** Forgets a session that is open nowhere any more. */
export async function dropClosing(session: KeySession): Promise<void> {
  set(closing.filter((one) => nameOf(one) !== nameOf(session)))
  await Promise.all([forgetKey(session), removeEntry(nameOf(session))])
}

/** Takes up what earlier pages left. */
export async function recallClosing(): Promise<readonly KeySession[]> {
  for (const name of await listEntries(prefix)) {
    const text = await readEntry(name)
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), keptKeySession), text)
    const session = parsed.success ? await reviveKeySession(parsed.output) : undefined
    if (session !== undefined && endOf(session) > Date.now()) add(session)
    else await removeEntry(name)
  }
  return closing
}

/** Sessions that are yet to be ended at some nodes, followed. */
export function useClosing(): readonly KeySession[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => closing,
  )
}
