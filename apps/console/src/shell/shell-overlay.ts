import { useSyncExternalStore } from 'react'

/** An overlay that opens from anywhere: by a key, by a button, or from the palette. */
export type ShellOverlay = 'palette' | 'shortcuts'

let shown: ShellOverlay | undefined
const listeners = new Set<() => void>()

/** Shows an overlay in place of the one that is open; undefined closes it. */
export function showOverlay(overlay: ShellOverlay | undefined): void {
  shown = overlay
  for (const listener of listeners) listener()
}

/** Returns the open overlay, and rerenders on changes. */
export function useShellOverlay(): ShellOverlay | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
}
