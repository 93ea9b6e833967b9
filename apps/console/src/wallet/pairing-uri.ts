import { createStore, useStore } from '../state/store.ts'

const uri = createStore<string | undefined>(undefined)

/**
 * Shows the pairing code for a wallet on another device; undefined until it is known.
 * @returns a function that hides it, unless a later one is shown
 */
export function showPairingUri(next: string | undefined): () => void {
  uri.set(next)
  return () => {
    if (uri.get() === next) uri.set(undefined)
  }
}

/** Returns the pairing code for a wallet on another device, once it is known. */
export function usePairingUri(): string | undefined {
  return useStore(uri)
}
