import { useEffect, useMemo, useRef, useState } from 'react'
import type { ListedFile } from '../files/listed-file.ts'
import { keepExisting, noSelection, type Selection } from '../files/selection.ts'

/** The selection in a folder: it loses rows that disappear, and ends when another folder or place is opened. */
export function useFolderSelection(
  files: readonly ListedFile[],
  { folderId, place }: { folderId: string; place: string | undefined },
) {
  const [selection, setSelection] = useState<Selection>(noSelection)
  const shownBefore = useRef(files)
  useEffect(() => {
    const listed = shownBefore.current
    shownBefore.current = files
    setSelection((before) => keepExisting(files, before, listed))
  }, [files])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a selection belongs to one folder.
  useEffect(() => setSelection(noSelection), [folderId, place])

  const selected = useMemo(
    () => (selection.ids.size === 0 ? [] : files.filter(({ id }) => selection.ids.has(id))),
    [files, selection.ids],
  )
  /** The item that keys act on. */
  const active = useMemo(
    () => (selection.active === undefined ? undefined : files.find(({ id }) => id === selection.active)?.item),
    [files, selection.active],
  )
  return { selection, setSelection, selected, active }
}
