import type { KeySession, SessionKey } from '@cairn/sdk'
import { listEntries, readEntry, removeEntry, writeEntry } from './session-database.ts'

/** The key of a session that the browser holds: what reads all storage of the page can use it, and never take it away. */
type HeldKey = Extract<SessionKey, { privateKey: CryptoKey }>

const prefix = 'key:'
/** Longest time that any session is kept, in ms. */
const keptMs = 30 * 24 * 3_600_000

/**
 * Makes the key of a new session: one that the browser holds and keeps by itself, where it can.
 * @returns undefined where it cannot; the session's key is data like its tokens then
 */
export async function makeSessionKey(make: () => Promise<HeldKey>): Promise<SessionKey | undefined> {
  try {
    const key = await make()
    return (await keepKey(key)) ? key : undefined
  } catch (error) {
    // Browsers without Ed25519, and pages without TLS, have no such keys.
    if (error instanceof DOMException || error instanceof TypeError) return undefined
    throw error
  }
}

/** Keeps a session's key beside the session. */
export function keepKey({ publicKey, privateKey }: HeldKey): Promise<boolean> {
  return writeEntry(prefix + publicKey, { privateKey, until: Date.now() + keptMs })
}

export async function forgetKey({ sessionKey }: Pick<KeySession, 'sessionKey'>): Promise<void> {
  if ('privateKey' in sessionKey) await removeEntry(prefix + sessionKey.publicKey)
}

/** The key of a session whose text names it. */
export async function recallKey(publicKey: string): Promise<HeldKey | undefined> {
  const entry = readKeyEntry(await readEntry(prefix + publicKey))
  return entry === undefined ? undefined : { publicKey, privateKey: entry.privateKey }
}

/** Removes the keys of sessions that are long over: of tabs, for instance, that were closed without signing out. */
export async function sweepKeys(): Promise<void> {
  for (const name of await listEntries(prefix)) {
    const entry = readKeyEntry(await readEntry(name))
    if (entry === undefined || entry.until < Date.now()) await removeEntry(name)
  }
}

function readKeyEntry(value: unknown): { privateKey: CryptoKey; until: number } | undefined {
  if (typeof value !== 'object' || value === null || !('privateKey' in value && 'until' in value)) return undefined
  const { privateKey, until } = value
  return privateKey instanceof CryptoKey && typeof until === 'number' ? { privateKey, until } : undefined
}
