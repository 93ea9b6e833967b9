import { ignoreBlocked } from '../browser/ignore-blocked.ts'
import { clearTabSettings } from '../theme/settings.ts'
import { sharedCache } from '../upload/shared-cache.ts'
import { keepText, listTexts, recallText } from '../wallet/kept-text.ts'
import { removeKeptZips } from '../zip/kept-zips.ts'

/** Prefix of everything that the console stores in this browser; other pages of this origin use their own. */
const prefix = 'cairn.'
const databaseNames = /^cairn(?:-|$)/

/** Exports the data in this browser as text: settings, last wallet, work in progress. Without sessions and keys. */
export function exportLocalData(): string {
  const entries = listTexts(prefix).map((name) => [name, parse(recallText(name) ?? '')] as const)
  return JSON.stringify({ exportedAt: new Date().toISOString(), data: Object.fromEntries(entries) }, undefined, 2)
}

/** Clears all of it, including name keys. Reload the page afterwards: its memory is not cleared. */
export async function clearLocalData(): Promise<void> {
  for (const area of ['localStorage', 'sessionStorage'] as const) {
    for (const name of listTexts(prefix, area)) keepText(name, undefined, area)
  }
  if ('caches' in globalThis) await caches.delete(sharedCache).catch(ignoreBlocked)
  clearTabSettings()
  await removeKeptZips(0)
  const databases = (await indexedDB.databases().catch(ignoreBlocked)) ?? []
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
