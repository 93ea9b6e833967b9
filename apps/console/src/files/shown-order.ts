import { useMemo, useSyncExternalStore } from 'react'
import type { ListedFile } from './listed-file.ts'

/** The rows of the drive: what "previous" and "next" of an open file follow. */
let shown: readonly ListedFile[] | undefined
const listeners = new Set<() => void>()

export function setShownOrder(files: readonly ListedFile[] | undefined): void {
  shown = files
  for (const listener of listeners) listener()
}

/** Returns the CIDs of the files that the drive shows, in order; undefined while the list of uploads is shown. */
export function useShownOrder(): readonly string[] | undefined {
  const files = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return useMemo(() => files?.flatMap(({ cid }) => (cid === '' ? [] : [cid])), [files])
}
