/** All that the console keeps in this browser has names that begin so; other pages of this origin have their own. */
const prefix = 'cairn.'
const databaseNames = /^cairn(?:-|$)/

/** What this browser keeps, as text to save: settings, wallet last used, what is on its way. No session, no keys. */
export function exportLocalData(): string {
  const entries = ownNames(localStorage).map((name) => [name, parse(localStorage.getItem(name) ?? '')] as const)
  return JSON.stringify({ exportedAt: new Date().toISOString(), data: Object.fromEntries(entries) }, undefined, 2)
}

/**
 * Forgets all of it, the keys of names among it. The page has to be loaded anew afterwards: what it holds in memory is not
 * touched.
 */
export async function clearLocalData(): Promise<void> {
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of ownNames(storage)) storage.removeItem(name)
  }
  const databases = await indexedDB.databases()
  await Promise.all(databases.map(({ name = '' }) => (databaseNames.test(name) ? removeDatabase(name) : undefined)))
}

/** Another tab that uses it at the moment delays it until it has done. */
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
