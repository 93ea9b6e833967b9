import { useEffect, useRef } from 'react'
import { isTyping } from '../browser/is-typing.ts'

/** A key as both the page and the list report it. */
export type PageKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * Handles keys of the page rather than its list, wherever the focus is: an empty folder has no list, and after a folder is opened
 * nothing has the focus.
 * @param onKey returns whether it handled the key
 */
export function usePageKeys(onKey: (event: PageKey) => boolean): void {
  const handle = useRef(onKey)
  useEffect(() => {
    handle.current = onKey
  }, [onKey])
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, defaultPrevented } = event
      const isOfPage = target === document.body || (target instanceof Element && target.closest('main') !== null)
      if (defaultPrevented || !isOfPage || isTyping(target)) return
      if (document.querySelector('[role=dialog],[role=menu]') !== null) return
      if (handle.current(event)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
