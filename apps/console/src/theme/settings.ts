import { useSyncExternalStore } from 'react'
import * as v from 'valibot'
import { keepText, recallText } from '../wallet/kept-text.ts'

export const themes = ['system', 'light', 'dark'] as const
export const accents = ['blue', 'green', 'orange', 'pink', 'purple', 'red'] as const
export const fileFormats = ['v1', 'v2'] as const
export const uploadAccesses = ['encrypted', 'private', 'public'] as const

const settingsSchema = v.object({
  theme: v.fallback(v.picklist(themes), 'system'),
  accent: v.fallback(v.picklist(accents), 'blue'),
  /** The tag of a language of the console, or `system`. */
  language: v.fallback(v.string(), 'system'),
  /** Who can open an upload, unless its sheet says otherwise. */
  access: v.fallback(v.picklist(uploadAccesses), 'encrypted'),
  /** Whether public uploads start without another click. */
  startsAtOnce: v.fallback(v.boolean(), false),
  /** Format of encrypted files. */
  fileFormat: v.fallback(v.picklist(fileFormats), 'v1'),
  /** Whether single letters are shortcuts (WCAG 2.1.4). */
  hasShortcuts: v.fallback(v.boolean(), true),
  /** Whether a session outlives the tab. */
  staysSignedIn: v.fallback(v.boolean(), false),
})
/** Preferences of the user in this browser. Not secret. */
export type Settings = v.InferOutput<typeof settingsSchema>

/** The script that runs before the first paint reads the same name. */
const storageName = 'cairn.settings'

function read(): Settings {
  try {
    return v.parse(settingsSchema, JSON.parse(recallText(storageName) ?? '{}'))
  } catch {
    // With foreign data under our name, the defaults apply.
    return v.parse(settingsSchema, {})
  }
}

let settings = read()
const listeners = new Set<() => void>()
const darkWanted = matchMedia('(prefers-color-scheme: dark)')

/** Returns the current settings. */
export function getSettings(): Settings {
  return settings
}

/** Changes settings, applies and stores them. */
export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change }
  keepText(storageName, JSON.stringify(settings))
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

/** Returns the settings, and rerenders on changes. */
export function useSettings(): Settings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, getSettings)
}
