/** All that the console keeps in this browser has names that begin so; other pages of this origin have their own. */
const prefix = 'cairn.'

/** What this browser keeps, as text to save: settings, wallet last used, payments on their way. No session, no secrets. */
export function exportLocalData(): string {
  const entries = ownNames(localStorage).map((name) => [name, parse(localStorage.getItem(name) ?? '')] as const)
  return JSON.stringify({ exportedAt: new Date().toISOString(), data: Object.fromEntries(entries) }, undefined, 2)
}

/** Forgets all of it. The page has to be loaded anew afterwards: what it holds in memory is not touched. */
export function clearLocalData(): void {
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of ownNames(storage)) storage.removeItem(name)
  }
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
