import { type RegisteredRouter, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** Overlays of the page, the topmost last. */
const layers: object[] = []

/** Makes Back close overlays, the topmost first, without leaving the page. */
export function useBackCloses(isActive: boolean, onClose: () => void): void {
  // There is none around the page without a network, which is no place to go back to.
  const router: RegisteredRouter | undefined = useRouter({ warn: false })
  const history = router?.history
  const close = useRef(onClose)
  useEffect(() => {
    close.current = onClose
  }, [onClose])
  useEffect(() => {
    if (!isActive || history === undefined) return
    const layer = {}
    layers.push(layer)
    const stop = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ action }) => {
        if (action !== 'BACK' || layers.at(-1) !== layer) return false
        // The browser has already gone back, and is sent forward again. Changes of the address made by `onClose` follow that.
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
