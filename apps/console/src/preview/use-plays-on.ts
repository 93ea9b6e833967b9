import { type SyntheticEvent, useLayoutEffect, useRef } from 'react'

/**
 * Returns the props with which a player continues at its position when its address changes: the link to a private video is
 * replaced before it expires. Content at another path starts at the beginning.
 */
export function usePlaysOn(url: string) {
  const player = useRef<HTMLMediaElement>(null)
  const place = useRef({ url, seconds: 0, isPlaying: false })
  useLayoutEffect(() => {
    const { current } = player
    const before = place.current
    if (pathOf(before.url) !== pathOf(url)) place.current = { url, seconds: 0, isPlaying: false }
    else if (before.url !== url && current !== null) {
      place.current = { ...before, url }
      const goOn = () => {
        current.currentTime = before.seconds
        // Browsers may require a click to play; the player then shows its button.
        if (before.isPlaying) current.play().catch(() => undefined)
      }
      current.addEventListener('loadedmetadata', goOn, { once: true })
      return () => current.removeEventListener('loadedmetadata', goOn)
    }
    return undefined
  }, [url])
  const note = ({ currentTarget }: SyntheticEvent<HTMLMediaElement>) => {
    place.current = { url, seconds: currentTarget.currentTime, isPlaying: !currentTarget.paused }
  }
  return {
    ref: (element: HTMLMediaElement | null) => {
      player.current = element
    },
    onTimeUpdate: note,
    onPlay: note,
    onPause: note,
  }
}

/** The address without the query, which has the signature. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}
