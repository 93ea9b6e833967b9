import { useMemo } from 'react'
import { createStore, useStore } from '../state/store.ts'
import type { ListedFile } from './listed-file.ts'

/** The rows of the drive: what "previous" and "next" of an open file follow. */
const shown = createStore<readonly ListedFile[] | undefined>(undefined)

export function setShownOrder(files: readonly ListedFile[] | undefined): void {
  shown.set(files)
}

/** Returns the CIDs of the files that the drive shows, in order; undefined while the list of uploads is shown. */
export function useShownOrder(): readonly string[] | undefined {
  const files = useStore(shown)
  return useMemo(() => files?.flatMap(({ cid }) => (cid === '' ? [] : [cid])), [files])
}
