import { useSyncExternalStore } from 'react'
import * as v from 'valibot'

export const themes = ['system', 'light', 'dark'] as const
export const accents = ['blue', 'green', 'orange', 'pink', 'purple', 'red'] as const
export const fileFormats = ['v1', 'v2'] as const

const settingsSchema = v.object({
  theme: v.fallback(v.picklist(themes), 'system'),
  accent: v.fallback(v.picklist(accents), 'blue'),
  /** Whether uploads are encrypted unless told otherwise; the last choice is kept. */
  encrypts: v.fallback(v.boolean(), true),
  /** Whether public uploads begin without another press. */
  startsAtOnce: v.fallback(v.boolean(), false),
  /** Format of encrypted files. */
  fileFormat: v.fallback(v.picklist(fileFormats), 'v1'),
  /** Whether single letters are shortcuts (WCAG 2.1.4). */
  hasShortcuts: v.fallback(v.boolean(), true),
  /** Whether a session outlives the tab. */
  staysSignedIn: v.fallback(v.boolean(), false),
})
/** What this browser keeps of its user's taste. Public settings only: nothing secret. */
export type Settings = v.InferOutput<typeof settingsSchema>

/** The script that runs before the first paint reads the same name. */
const storageName = 'cairn.settings'

function read(): Settings {
  let json: unknown = {}
  try {
    json = JSON.parse(localStorage.getItem(storageName) ?? '{}')
  } catch {
    // A browser that keeps nothing, or something else under our name: the defaults are good.
    json = {}
  }
  const parsed = v.safeParse(settingsSchema, { ...fallbacks, ...(typeof json === 'object' ? json : {}) })
  return parsed.success ? parsed.output : fallbacks
}

const fallbacks: Settings = {
  theme: 'system',
  accent: 'blue',
  encrypts: true,
  startsAtOnce: false,
  fileFormat: 'v1',
  hasShortcuts: true,
  staysSignedIn: false,
}
let settings = read()
const listeners = new Set<() => void>()
const darkWanted = matchMedia('(prefers-color-scheme: dark)')

/** The settings as they are. */
export function getSettings(): Settings {
  return settings
}

/** Changes settings, shows and keeps them. */
export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change }
  try {
    localStorage.setItem(storageName, JSON.stringify(settings))
  } catch (error) {
    // A browser that keeps nothing: the choice holds for this page.
    if (!(error instanceof DOMException)) throw error
  }
  apply()
  for (const listener of listeners) listener()
}

function apply(): void {
  const { dataset } = document.documentElement
  dataset['theme'] = settings.theme === 'system' ? (darkWanted.matches ? 'dark' : 'light') : settings.theme
  dataset['accent'] = settings.accent
}

darkWanted.addEventListener('change', apply)
addEventListener('storage', ({ key }) => {
  if (key !== storageName) return
  settings = read()
  apply()
  for (const listener of listeners) listener()
})

/** The settings, followed. */
export function useSettings(): Settings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, getSettings)
}
