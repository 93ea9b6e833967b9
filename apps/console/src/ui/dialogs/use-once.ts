import { useRef } from 'react'

/**
 * Returns a function that starts work, but not a second time before the first shows as busy: a mutation is pending only after the
 * event that starts it, so a double click would start it twice.
 */
export function useOnce(): (start: () => void) => void {
  const isStarting = useRef(false)
  return (start) => {
    if (isStarting.current) return
    start()
    isStarting.current = true
    setTimeout(() => {
      isStarting.current = false
    })
  }
}
