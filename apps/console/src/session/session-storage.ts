import * as v from 'valibot'
import type { Session } from './session-store.ts'

/**
 * Where the session outlives a reload: session storage, which ends with the tab, or IndexedDB where the user asked to stay
 * signed in. Both belong to this origin, on which nothing of any user's content ever runs.
 */
const storageName = 'cairn.session'
const databaseName = 'cairn'
const tableName = 'session'

const nodeSession = v.object({
  node: v.number(),
  token: v.string(),
  refreshToken: v.string(),
  expiresAt: v.number(),
  refreshExpiresAt: v.number(),
  challengeId: v.exactOptional(v.string()),
})
const keySession = v.object({
  address: v.string(),
  sessionKey: v.object({ publicKey: v.string(), secretKey: v.string() }),
  nodes: v.array(v.nullable(nodeSession)),
  faults: v.exactOptional(
    v.array(v.object({ node: v.number(), code: v.string(), message: v.string(), hint: v.string() })),
  ),
  isClosing: v.exactOptional(v.boolean()),
})
const sessionSchema = v.object({
  address: v.string(),
  apiKey: v.string(),
  expiresAt: v.number(),
  isLasting: v.boolean(),
  keySession: v.exactOptional(keySession),
})

export async function keepSession(session: Session): Promise<void> {
  const text = JSON.stringify(session)
  if (session.isLasting) {
    sessionStorage.removeItem(storageName)
    await withTable('readwrite', (table) => table.put(text, storageName))
  } else sessionStorage.setItem(storageName, text)
}

export async function recallSession(): Promise<Session | undefined> {
  const text: unknown =
    sessionStorage.getItem(storageName) ?? (await withTable('readonly', (table) => table.get(storageName)))
  if (typeof text !== 'string') return undefined
  const session = parseSession(text)
  if (session !== undefined && session.expiresAt > Date.now()) return session
  await forgetSession()
  return undefined
}

export async function forgetSession(): Promise<void> {
  sessionStorage.removeItem(storageName)
  await withTable('readwrite', (table) => table.delete(storageName))
}

function parseSession(text: string): Session | undefined {
  try {
    const parsed = v.safeParse(sessionSchema, JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Runs one request on the table. A browser without IndexedDB (some private windows) keeps nothing. */
function withTable(mode: IDBTransactionMode, run: (table: IDBObjectStore) => IDBRequest): Promise<unknown> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(tableName)
    opening.onerror = () => resolve(undefined)
    opening.onsuccess = () => {
      const database = opening.result
      const request = run(database.transaction(tableName, mode).objectStore(tableName))
      request.onsuccess = () => {
        database.close()
        resolve(request.result)
      }
      request.onerror = () => {
        database.close()
        resolve(undefined)
      }
    }
  })
}
