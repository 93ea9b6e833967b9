import { createStore, useStore } from '../state/store.ts'

/** An overlay that opens from anywhere: by a key, by a button, or from the palette. */
export type ShellOverlay = 'palette' | 'shortcuts'

const shown = createStore<ShellOverlay | undefined>(undefined)
let typed = ''
/** Whether the code of the palette is loading. */
let isAwaited = false

/** Shows an overlay instead of the one that is open; undefined closes it. */
export function showOverlay(overlay: ShellOverlay | undefined): void {
  isAwaited = overlay === 'palette'
  typed = ''
  shown.set(overlay)
}

/**
 * Records a key for the palette while its code loads, so that what users type immediately is neither lost nor taken for a
 * shortcut.
 * @returns whether the palette is loading
 */
export function typeAhead(key: string): boolean {
  if (!isAwaited) return false
  if (key === 'Escape') showOverlay(undefined)
  else if (key === 'Backspace') typed = [...typed].slice(0, -1).join('')
  else if ([...key].length === 1) typed += key
  return true
}

/** Returns the keys to the page, because the code of the palette could not be loaded. */
export function endTypeAhead(): void {
  isAwaited = false
  typed = ''
}

/** Returns the text typed since the palette was requested. */
export function getTypedAhead(): string {
  return typed
}

/** Returns the open overlay, and rerenders on changes. */
export function useShellOverlay(): ShellOverlay | undefined {
  return useStore(shown)
}
