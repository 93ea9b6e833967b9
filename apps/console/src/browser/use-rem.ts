import { useSyncExternalStore } from 'react'

let known: number | undefined

function measure(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}

function read(): number {
  known ??= measure()
  return known
}

/** Observes an element as wide as 1 rem, because browsers report no change of the font size. */
function watch(listener: () => void): () => void {
  const probe = document.createElement('div')
  Object.assign(probe.style, { position: 'absolute', width: '1rem', visibility: 'hidden' })
  document.body.append(probe)
  const observer = new ResizeObserver(() => {
    known = measure()
    listener()
  })
  observer.observe(probe)
  return () => {
    observer.disconnect()
    probe.remove()
  }
}

/** Returns a function that converts rem to whole px, and rerenders when the font size of the page changes. */
export function useRem(): (rem: number) => number {
  const size = useSyncExternalStore(watch, read)
  return (rem) => Math.round(rem * size)
}
