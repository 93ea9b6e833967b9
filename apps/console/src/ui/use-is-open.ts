import { type RefObject, useEffect, useRef } from 'react'

/** Returns whether the component is still in the page, for work that ends after it. */
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
