import type { KeySession, SessionKey } from '@cairn/sdk'
import { listEntries, readEntry, removeEntry, writeEntry } from './session-database.ts'

/** A session key that the browser holds: code that reads all storage of the page can use it, but never extract it. */
type HeldKey = Extract<SessionKey, { privateKey: CryptoKey }>

const prefix = 'key:'
/** Maximum lifetime of any stored session, in ms. */
const keptMs = 30 * 24 * 3_600_000

/**
 * Creates the key of a new session, held by the browser if it can.
 * @returns undefined if it cannot; the session key is then data like its tokens
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

/** Stores a session key next to the session. */
export function keepKey({ publicKey, privateKey }: HeldKey): Promise<boolean> {
  return writeEntry(prefix + publicKey, { privateKey, until: Date.now() + keptMs })
}

export async function clearKey({ sessionKey }: Pick<KeySession, 'sessionKey'>): Promise<void> {
  if ('privateKey' in sessionKey) await removeEntry(prefix + sessionKey.publicKey)
}

/** Returns the key of a stored session that names it. */
export async function recallKey(publicKey: string): Promise<HeldKey | undefined> {
  const entry = readKeyEntry(await readEntry(prefix + publicKey))
  return entry === undefined ? undefined : { publicKey, privateKey: entry.privateKey }
}

/** Removes the keys of sessions that expired long ago, for example of tabs that were closed without sign-out. */
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
