import { sharedCache } from '../upload/shared-cache.ts'
import { removeKeptZips } from '../zip/kept-zips.ts'

/** Prefix of everything that the console stores in this browser; other pages of this origin use their own. */
const prefix = 'cairn.'
const databaseNames = /^cairn(?:-|$)/

/** Exports the data in this browser as text: settings, last wallet, work in progress. Without sessions and keys. */
export function exportLocalData(): string {
  const entries = ownNames(localStorage).map((name) => [name, parse(localStorage.getItem(name) ?? '')] as const)
  return JSON.stringify({ exportedAt: new Date().toISOString(), data: Object.fromEntries(entries) }, undefined, 2)
}

/** Clears all of it, including name keys. Reload the page afterwards: its memory is not cleared. */
export async function clearLocalData(): Promise<void> {
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of ownNames(storage)) storage.removeItem(name)
  }
  if ('caches' in globalThis) await caches.delete(sharedCache)
  await removeKeptZips(0)
  const databases = await indexedDB.databases()
  await Promise.all(databases.map(({ name = '' }) => (databaseNames.test(name) ? removeDatabase(name) : undefined)))
}

/** Another tab that uses it delays the removal until it has finished. */
function removeDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const removing = indexedDB.deleteDatabase(name)
    removing.onsuccess = () => resolve()
    removing.onerror = () => reject(removing.error ?? new DOMException('Refused', 'InvalidStateError'))
  })
}

function ownNames(storage: Storage): string[] {
  return Object.keys(storage).filter((name) => name.startsWith(prefix))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
