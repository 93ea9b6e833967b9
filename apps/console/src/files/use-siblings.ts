import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { hasDialog } from '../ui/dialogs/has-dialog.ts'
import { useListSearch } from './list-search.ts'
import { useShownOrder } from './shown-order.ts'
import { useFiles } from './use-files.ts'

/** Minimum distance of a swipe in px, and how much more across than along. */
const swipePx = 60
const swipeRatio = 2

export type Siblings = {
  /** Position in the list, from 1; undefined if the list does not contain the file. */
  at: number | undefined
  count: number
  back: (() => void) | undefined
  next: (() => void) | undefined
}

/**
 * Returns the files before and after this one in the list that it was opened from, and moves between them with the
 * arrow keys and by swipes.
 */
export function useSiblings(cid: string, isActive: boolean): Siblings {
  const search = useListSearch()
  const navigate = useNavigate()
  const ofDrive = useShownOrder()
  const { files, totalFiles, hasNextPage, isFetchingNextPage, fetchNextPage } = useFiles(search, ofDrive === undefined)
  // A CID that was uploaded twice is one file here.
  const order = useMemo(() => ofDrive ?? [...new Set(files.map((file) => file.cid))], [ofDrive, files])
  const at = order.indexOf(cid)
  const isLast = at >= 0 && at === order.length - 1
  useEffect(() => {
    if (isActive && ofDrive === undefined && isLast && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [isActive, ofDrive, isLast, hasNextPage, isFetchingNextPage, fetchNextPage])
  const [before, after] = at < 0 ? [] : [order[at - 1], order[at + 1]]
  const { back, next } = useMemo(() => {
    // Replaces the history entry, so that Back returns to the list.
    const goTo = (to: string) => () => void navigate({ to: '/files/$cid', params: { cid: to }, search, replace: true })
    return {
      back: before === undefined ? undefined : goTo(before),
      next: after === undefined ? undefined : goTo(after),
    }
  }, [before, after, navigate, search])
  useEffect(() => {
    if (!isActive) return
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return
      if (usesArrows(event.target) || hasDialog()) return
      const go = event.key === 'ArrowLeft' ? back : event.key === 'ArrowRight' ? next : undefined
      if (go === undefined) return
      event.preventDefault()
      go()
    }
    const stopWatching = watchSwipes((isForward) => (isForward ? next : back)?.())
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('keydown', onKey)
      stopWatching()
    }
  }, [isActive, back, next])
  const extra = ofDrive === undefined ? totalFiles - files.length : 0
  return { at: at < 0 ? undefined : at + 1, count: order.length + Math.max(0, extra), back, next }
}

/** Fields, players, menus and content that scrolls sideways need the arrows themselves. */
function usesArrows(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('input,textarea,select,audio,video,[role^=menu],[role=slider]'))
    return true
  return target.scrollWidth > target.clientWidth && getComputedStyle(target).overflowX !== 'visible'
}

/** Reports swipes across the file with one finger. */
function watchSwipes(onSwipe: (isForward: boolean) => void): () => void {
  let start: Touch | undefined
  const onStart = ({ touches, target }: TouchEvent) => {
    const isOurs = touches.length === 1 && !scrollsSideways(target) && !hasDialog()
    start = isOurs ? touches[0] : undefined
  }
  const onEnd = ({ changedTouches: [end] }: TouchEvent) => {
    if (start === undefined || end === undefined) return
    const across = end.clientX - start.clientX
    const along = end.clientY - start.clientY
    start = undefined
    if (Math.abs(across) >= swipePx && Math.abs(across) >= swipeRatio * Math.abs(along)) onSwipe(across < 0)
  }
  addEventListener('touchstart', onStart, { passive: true })
  addEventListener('touchend', onEnd, { passive: true })
  return () => {
    removeEventListener('touchstart', onStart)
    removeEventListener('touchend', onEnd)
  }
}

function scrollsSideways(target: EventTarget | null): boolean {
  for (let one = target instanceof Element ? target : null; one !== null; one = one.parentElement) {
    if (one.matches('audio,video,input,[role=dialog]')) return !one.matches('[role=dialog]')
    if (one.scrollWidth > one.clientWidth && /auto|scroll/.test(getComputedStyle(one).overflowX)) return true
  }
  // Outside of the file.
  return true
}
