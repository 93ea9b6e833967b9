import { useEffect, useState } from 'react'

/** Shows something over the whole window and, if the browser can, over the whole screen. Escape leaves both. */
export function useFullScreen(): { isFull: boolean; toggle: () => void } {
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const onChange = () => {
      if (document.fullscreenElement === null) setFull(false)
    }
    document.addEventListener('fullscreenchange', onChange)
    return () => {
      document.removeEventListener('fullscreenchange', onChange)
      if (document.fullscreenElement !== null) void document.exitFullscreen()
    }
  }, [])
  const toggle = () => {
    setFull(!isFull)
    if (isFull) {
      if (document.fullscreenElement !== null) void document.exitFullscreen()
      return
    }
    // Refused, or unknown to the browser of a phone: the whole window is enough.
    if (document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(() => undefined)
  }
  return { isFull, toggle }
}
