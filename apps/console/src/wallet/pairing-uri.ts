import { useSyncExternalStore } from 'react'

let uri: string | undefined
const listeners = new Set<() => void>()

/** Shows the pairing code for a wallet on another device, or hides it. */
export function setPairingUri(next: string | undefined): void {
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
