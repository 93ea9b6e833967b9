import * as v from 'valibot'
import { createStore, useStore } from '../state/store.ts'
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

/** The script that runs before the first paint reads the same name, and the same name of a tab. */
const storageName = 'cairn.settings'
/** Start of the name of a tab that has the settings: without storage, they stay when the page is loaded again. */
const tabPrefix = `${storageName}=`

function read(): Settings {
  try {
    return v.parse(settingsSchema, JSON.parse(recallTabSettings() ?? recallText(storageName) ?? '{}'))
  } catch {
    // With foreign data under our name, the defaults apply.
    return v.parse(settingsSchema, {})
  }
}

function recallTabSettings(): string | undefined {
  return window.name.startsWith(tabPrefix) ? window.name.slice(tabPrefix.length) : undefined
}

/** Removes the settings from the name of the tab, if it has them. */
export function clearTabSettings(): void {
  if (recallTabSettings() !== undefined) window.name = ''
}

const settings = createStore(read())
const darkWanted = matchMedia('(prefers-color-scheme: dark)')

/** Returns the current settings. */
export function getSettings(): Settings {
  return settings.get()
}

/** Changes settings, applies and stores them. */
export function changeSettings(change: Partial<Settings>): void {
  const next = { ...settings.get(), ...change }
  const text = JSON.stringify(next)
  keepText(storageName, text)
  if (recallText(storageName) === text) clearTabSettings()
  else window.name = tabPrefix + text
  adopt(next)
}

function adopt(next: Settings): void {
  apply(next)
  settings.set(next)
}

function apply({ theme, accent }: Settings): void {
  const { dataset } = document.documentElement
  dataset['theme'] = theme === 'system' ? (darkWanted.matches ? 'dark' : 'light') : theme
  dataset['accent'] = accent
}

darkWanted.addEventListener('change', () => apply(settings.get()))
addEventListener('storage', ({ key }) => {
  if (key !== storageName) return
  adopt(read())
})

/** Returns the settings, and rerenders on changes. */
export function useSettings(): Settings {
  return useStore(settings)
}
