import { useSyncExternalStore } from 'react'

let uri: string | undefined
const listeners = new Set<() => void>()

/**
 * Shows the pairing code for a wallet on another device; undefined until it is known.
 * @returns a function that hides it, unless a later one is shown
 */
export function showPairingUri(next: string | undefined): () => void {
  set(next)
  return () => {
    if (uri === next) set(undefined)
  }
}

function set(next: string | undefined): void {
  uri = next
  for (const listener of listeners) listener()
}

/** Returns the pairing code for a wallet on another device, once it is known. */
export function usePairingUri(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uri,
  )
}
