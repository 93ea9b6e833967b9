import { type DragEvent, useState } from 'react'
import type { ListedFile } from './listed-file.ts'
import type { Selection } from './selection.ts'

/** The result of dropping items on a row: they move into it, or the row explains why they cannot. */
export type DropResult = 'into' | 'refused'

/** How rows of a list are dragged onto its folders, and out of it. */
export type RowDrag = {
  /** Called when a drag starts, with the rows that are dragged. */
  onStart: (data: DataTransfer, files: readonly ListedFile[]) => void
  canDrop: (event: DragEvent) => boolean
  /** Undefined for a row that is not a folder. */
  resultOf: (file: ListedFile) => DropResult | undefined
  /** Also called for a folder that refuses the dragged items. */
  onDrop: (data: DataTransfer, folder: ListedFile) => void
}

/** Returns the drag handlers of a list, and the row that is dragged over. */
export function useRowDrag({
  drag,
  files,
  selection,
  fileAt,
  onSelectOnly,
}: {
  drag: RowDrag | undefined
  files: readonly ListedFile[]
  selection: Selection
  fileAt: (target: EventTarget) => ListedFile | undefined
  onSelectOnly: (id: string) => void
}) {
  const [over, setOver] = useState<{ id: string; result: DropResult }>()
  const findTarget = (event: DragEvent) => {
    const file = drag?.canDrop(event) === true ? fileAt(event.target) : undefined
    const result = file === undefined || selection.ids.has(file.id) ? undefined : drag?.resultOf(file)
    return file === undefined || result === undefined ? undefined : { file, result }
  }
  if (drag === undefined) return { over, handlers: {} }
  const handlers = {
    onDragStart: (event: DragEvent) => {
      const file = fileAt(event.target)
      if (file === undefined) return
      const isSelected = selection.ids.has(file.id)
      if (!isSelected) onSelectOnly(file.id)
      drag.onStart(event.dataTransfer, isSelected ? files.filter(({ id }) => selection.ids.has(id)) : [file])
    },
    onDragOver: (event: DragEvent) => {
      const target = findTarget(event)
      const isSame = target?.file.id === over?.id && target?.result === over?.result
      if (!isSame) setOver(target === undefined ? undefined : { id: target.file.id, result: target.result })
      if (target === undefined) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
    },
    onDragEnd: () => setOver(undefined),
    onDragLeave: () => setOver(undefined),
    onDrop: (event: DragEvent) => {
      setOver(undefined)
      const target = findTarget(event)
      if (target === undefined) return
      event.preventDefault()
      drag.onDrop(event.dataTransfer, target.file)
    },
  }
  return { over, handlers }
}
