import { createStore, useStore } from '../../state/store.ts'

/** A text that the browser did not copy: it is shown, so that users can copy it themselves. */
const uncopied = createStore<string | undefined>(undefined)

/**
 * Copies a text. If the browser refuses, as it does without permission and on pages without HTTPS, a dialog shows the text.
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    uncopied.set(text)
    return false
  }
}

export function closeUncopied(): void {
  uncopied.set(undefined)
}

/** Returns the text that the browser did not copy, and rerenders on changes. */
export function useUncopied(): string | undefined {
  return useStore(uncopied)
}
