import { useCallback, useEffect, useRef, useState } from 'react'
import { messages } from '../messages/messages.ts'
import { toastError } from '../ui/toasts/toast-store.ts'
import type { Selection } from './selection.ts'
import type { useFiles } from './use-files.ts'

type Pages = Pick<ReturnType<typeof useFiles>, 'hasNextPage' | 'fetchNextPage'>

/** Selects every row: loaded rows at once, the others page by page, so that the progress is visible. */
export function useSelectAll({
  listKey,
  order,
  hasNextPage,
  fetchNextPage,
  onSelection,
}: Pages & {
  /** Changes with what the list shows. */
  listKey: string
  order: readonly string[]
  onSelection: (next: (before: Selection) => Selection) => void
}): { selectAll: () => Promise<void>; isSelectingAll: boolean; stop: () => void } {
  const [isSelectingAll, setSelecting] = useState(false)
  /** The current run; pressing again, or Escape, ends it. */
  const run = useRef(0)
  const stop = useCallback(() => {
    run.current++
    setSelecting(false)
  }, [])
  // Another list is another selection.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is what it is about.
  useEffect(() => stop, [listKey, stop])
  const selectAll = async () => {
    const own = ++run.current
    const select = (ids: readonly string[]) => onSelection((before) => ({ ...before, ids: new Set(ids) }))
    select(order)
    setSelecting(hasNextPage)
    for (let more = hasNextPage; more; ) {
      const { data, error, hasNextPage: next } = await fetchNextPage()
      if (run.current !== own) return
      if (error !== null) {
        toastError(messages.files.selectAllFailed, error)
        break
      }
      select(data?.pages.flatMap(({ fileList }) => fileList.map(({ id }) => id)) ?? order)
      more = next
    }
    setSelecting(false)
  }
  return { selectAll, isSelectingAll, stop }
}
