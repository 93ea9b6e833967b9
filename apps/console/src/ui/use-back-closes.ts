import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** Overlays of the page, the topmost last. */
const layers: object[] = []

/** Makes Back close overlays, the topmost first, without leaving the page. */
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
