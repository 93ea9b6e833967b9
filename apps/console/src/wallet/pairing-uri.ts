import { useSyncExternalStore } from 'react'

let uri: string | undefined
const listeners = new Set<() => void>()

/** Shows what a wallet on another device has to be given, or takes it off the page. */
export function setPairingUri(next: string | undefined): void {
  uri = next
  for (const listener of listeners) listener()
}

/** What a wallet on another device has to be given, as soon as it is known. */
export function usePairingUri(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uri,
  )
}
