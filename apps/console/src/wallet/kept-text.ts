import { ignoreBlocked } from '../browser/ignore-blocked.ts'

/** Storage that ends with the browser's data, or with the tab. */
type Area = 'localStorage' | 'sessionStorage'

/** Returns a text that an earlier page stored; undefined if there is none, or the browser has no storage. */
export function recallText(name: string, area: Area = 'localStorage'): string | undefined {
  try {
    return window[area].getItem(name) ?? undefined
  } catch (error) {
    return ignoreBlocked(error)
  }
}

/** Returns the names of stored texts that start so; none if the browser has no storage. */
export function listTexts(prefix: string, area: Area = 'localStorage'): string[] {
  try {
    return Object.keys(window[area]).filter((name) => name.startsWith(prefix))
  } catch (error) {
    return ignoreBlocked(error) ?? []
  }
}

/** Stores a text, or removes it. Without storage, or space in it, it applies to this page, which is not an error. */
export function keepText(name: string, text?: string, area: Area = 'localStorage'): void {
  try {
    if (text === undefined) window[area].removeItem(name)
    else window[area].setItem(name, text)
  } catch (error) {
    ignoreBlocked(error)
  }
}
