import { type RefObject, useEffect, useState } from 'react'

/** How far outside of the window an element counts as in sight, so that users who scroll see it complete. */
const margin = '300px'

/** Whether an element is, or once was, in sight. */
export function useCameInSight(element: RefObject<Element | null>): boolean {
  const [cameInSight, setCameInSight] = useState(false)
  useEffect(() => {
    if (cameInSight || element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setCameInSight(true)
      },
      { rootMargin: margin },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, cameInSight])
  return cameInSight
}
