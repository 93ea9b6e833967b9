import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** What lies over the page, the topmost last. */
const layers: object[] = []

/** Going back closes what lies over the page, the topmost first, and leaves the page where it is. */
export function useBackCloses(isActive: boolean, onClose: () => void): void {
  const { history } = useRouter()
  const close = useRef(onClose)
  useEffect(() => {
    close.current = onClose
  }, [onClose])
  useEffect(() => {
    if (!isActive) return
    const layer = {}
    layers.push(layer)
    const stop = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ action }) => {
        if (action !== 'BACK' || layers.at(-1) !== layer) return false
        // The browser is a step back by now and comes forward again; what closing does to the address comes after.
        addEventListener('popstate', () => close.current(), { once: true })
        return true
      },
    })
    return () => {
      stop()
      layers.splice(layers.indexOf(layer), 1)
    }
  }, [isActive, history])
}
