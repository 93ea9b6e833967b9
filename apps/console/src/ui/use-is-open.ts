import { type RefObject, useEffect, useRef } from 'react'

/** Returns whether the component is still mounted, for work that may end later. */
export function useIsOpen(): RefObject<boolean> {
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  return isOpen
}
