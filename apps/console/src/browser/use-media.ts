import { useCallback, useSyncExternalStore } from 'react'

/** A phone or a tablet: nothing can be dropped from another window. */
export const touchQuery = '(pointer: coarse)'

/** Returns whether a media query matches, and rerenders on changes. */
export function useMedia(query: string): boolean {
  const watch = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(watch, () => matchMedia(query).matches)
}
