import { useSyncExternalStore } from 'react'

/** A text that the browser did not copy: it is shown, so that users can copy it themselves. */
let uncopied: string | undefined
const listeners = new Set<() => void>()

function show(text: string | undefined): void {
  uncopied = text
  for (const listener of listeners) listener()
}

/**
 * Copies a text. If the browser refuses, as it does without permission and on pages without HTTPS, a dialog shows the text.
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    show(text)
    return false
  }
}

export function closeUncopied(): void {
  show(undefined)
}

/** Returns the text that the browser did not copy, and rerenders on changes. */
export function useUncopied(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uncopied,
  )
}
