import { useSyncExternalStore } from 'react'

/** The CIDs of the files that the drive shows, in order: what "previous" and "next" of an open file follow. */
let shown: readonly string[] | undefined
const listeners = new Set<() => void>()

export function setShownOrder(cids: readonly string[] | undefined): void {
  shown = cids
  for (const listener of listeners) listener()
}

/** Returns the order of the drive; undefined while the list of uploads is shown. */
export function useShownOrder(): readonly string[] | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
}
