import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useRem } from '../browser/use-rem.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { AreaMenu } from '../ui/Menu.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { useRemeasure } from '../ui/use-remeasure.ts'
import { FileRow } from './FileRow.tsx'
import { FileTile } from './FileTile.tsx'
import type { FilesSearch } from './files-search.ts'
import { ListHead } from './ListHead.tsx'
import type { ListedFile } from './listed-file.ts'
import { type RowDrag, useRowDrag } from './row-drag.ts'
import { moveActive, type Selection, selectRow } from './selection.ts'
import type { Sort } from './sort-files.ts'
import type { FileActions } from './use-file-actions.ts'

/** Heights of rows, width of tiles and space between them, in rem: texts have the size that is set in the browser. */
const rowHeights = { list: 3.25, narrow: 4.25, grid: 11 } as const
const tileWidth = 12
const tileGap = 0.75
/** Rows rendered beyond the viewport; few, so that a list of any length costs the same. */
const overscan = 6
/** Rows left below at which the next page is fetched. */
const nearEndRows = 30

export type CollectionProps = {
  files: readonly ListedFile[]
  totalFiles: number
  search: FilesSearch
  isGrid: boolean
  isNarrow: boolean
  selection: Selection
  onSelection: (next: Selection | ((before: Selection) => Selection)) => void
  onSelectAll: () => void
  onOpen: (file: ListedFile) => void
  /** Deletes the selected files, or the active one if none is selected. */
  onDelete: (files: readonly ListedFile[]) => void
  actions: FileActions
  isLoadingMore?: boolean
  onNearEnd?: () => void
  /** The order of the list when the search names none. */
  firstSort: Sort
  /** Further keys; returns whether it is one of them. */
  onOtherKey?: (event: KeyboardEvent) => boolean
  drag?: RowDrag
  /** Files that were cut, and move to where they are pasted. */
  cutIds?: ReadonlySet<string>
}

/**
 * Files as a list or as tiles. Only visible rows are in the page; assistive technology learns the total count. Keys and
 * clicks work the same in both.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
export function FileCollection(props: CollectionProps) {
  const { files, totalFiles, search, isGrid, isNarrow, selection, onSelection, onOpen, actions, onNearEnd, drag } =
    props
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const toPx = useRem()
  const columns = useColumns(body, isGrid, toPx(tileWidth), toPx(tileGap))
  const rows = Math.ceil(files.length / columns)
  const rowHeight = toPx(rowHeights[isGrid ? 'grid' : isNarrow ? 'narrow' : 'list'])
  const virtual = useWindowVirtualizer({
    count: rows,
    estimateSize: () => rowHeight,
    overscan,
    scrollMargin: top,
  })
  useLayoutEffect(() => {
    if (body.current !== null) setTop(body.current.getBoundingClientRect().top + scrollY)
  }, [])
  useRemeasure(virtual, rowHeight)
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows - nearEndRows) onNearEnd?.()
  }, [last, rows, onNearEnd])

  const [menuFile, setMenuFile] = useState<ListedFile>()
  // A list of very many files is read when something happens to one, not each time it is rendered.
  const order = useMemo(() => readOnce(() => files.map(({ id }) => id)), [files])
  const fileAt = (target: EventTarget) => {
    const id = target instanceof Element ? target.closest('[data-file]')?.getAttribute('data-file') : undefined
    return id === undefined || id === null ? undefined : files.find((file) => file.id === id)
  }
  const onToggle = useCallback(
    (id: string) => onSelection((before) => selectRow(order(), before, id, 'toggle')),
    [onSelection, order],
  )

  const { over, handlers } = useRowDrag({
    drag,
    files,
    selection,
    fileAt,
    onSelectOnly: (id) => onSelection((before) => selectRow(order(), before, id, 'only')),
  })
  const dropOn = (id: string) => (over?.id === id ? over.result : undefined)

  /** Whether a menu was open when the pointer went down, which closes it. */
  const hadMenu = useRef(false)
  const press = (event: MouseEvent) => {
    const file = fileAt(event.target)
    if (file === undefined || isOwnPress(event.target)) return
    // A finger opens what it taps. It has no other key: once something is selected, it adds to the selection.
    if (isTouch(event.nativeEvent) && selection.ids.size === 0) {
      // The tap has closed a menu, or a long press has opened one.
      if (!hadMenu.current && !hasMenu()) onOpen(file)
      return
    }
    const isToggle = event.ctrlKey || event.metaKey || isTouch(event.nativeEvent)
    const mode = event.shiftKey ? 'range' : isToggle ? 'toggle' : 'only'
    onSelection((before) => selectRow(order(), before, file.id, mode))
  }
  /** Once something is selected, a finger selects also where it would open. */
  const tapLink = (event: MouseEvent) => {
    const { target, nativeEvent } = event
    if (selection.ids.size === 0 || !isTouch(nativeEvent)) return
    const file = fileAt(target)
    if (file === undefined || !(target instanceof Element) || target.closest('a') === null) return
    event.preventDefault()
    event.stopPropagation()
    onToggle(file.id)
  }
  const onKey = (event: KeyboardEvent) => {
    // The menu of a row is not part of the list, although its key events bubble here.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return
    if (props.onOtherKey?.(event) === true) {
      event.preventDefault()
      return
    }
    const next = readKey(event, props, order(), columns)
    if (next === undefined) return
    event.preventDefault()
    if (next === 'handled') return
    onSelection(next)
    const index = next.active === undefined ? -1 : order().indexOf(next.active)
    if (index >= 0) reveal(body, Math.floor(index / columns) * rowHeight, rowHeight)
  }

  return (
    <AreaMenu
      label={
        menuFile === undefined ? messages.files.actions : messages.files.actionsFor(markControls(menuFile.fileName))
      }
      items={() => (menuFile === undefined ? [] : actions(menuFile))}
    >
      {/** biome-ignore lint/a11y/useSemanticElements: a virtual list cannot be a table. */}
      <div
        role="grid"
        tabIndex={0}
        aria-label={messages.files.listLabel}
        aria-multiselectable="true"
        aria-rowcount={isGrid ? Math.ceil(totalFiles / columns) : totalFiles + 1}
        aria-colcount={isGrid ? columns : 5}
        {...(selection.active === undefined ? {} : { 'aria-activedescendant': `file-${selection.active}` })}
        onPointerDownCapture={() => {
          hadMenu.current = hasMenu()
        }}
        onClickCapture={tapLink}
        onClick={press}
        onDoubleClick={(event) => {
          const file = fileAt(event.target)
          if (file !== undefined && !isOwnPress(event.target)) onOpen(file)
        }}
        onContextMenu={(event) => {
          const file = fileAt(event.target)
          if (file === undefined) {
            event.preventDefault()
            openByKey(event, selection.active)
            return
          }
          setMenuFile(file)
        }}
        onKeyDown={onKey}
        {...handlers}
        className={classNames(
          'group/files select-none rounded-md',
          // The row that the arrows reached shows the focus.
          selection.active === undefined
            ? 'focus-visible:outline-2 focus-visible:outline-accent'
            : 'outline-none focus-visible:outline-none',
        )}
      >
        {isGrid || isNarrow ? undefined : (
          <ListHead
            search={search}
            firstSort={props.firstSort}
            count={totalFiles}
            selectedCount={selection.ids.size}
            onChange={(areAll) =>
              areAll ? props.onSelectAll() : onSelection((before) => ({ ...before, ids: new Set() }))
            }
          />
        )}
        {/** biome-ignore lint/a11y/useSemanticElements: see above. */}
        <div ref={body} role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const rowTop = start - virtual.options.scrollMargin
            const inRow = files.slice(index * columns, (index + 1) * columns)
            if (isGrid) {
              return (
                // biome-ignore lint/a11y/useSemanticElements: see above.
                // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus.
                <div
                  key={key}
                  role="row"
                  aria-rowindex={index + 1}
                  className="absolute inset-x-0 top-0 grid gap-3 pb-3"
                  style={{
                    height: rowHeight,
                    transform: `translateY(${rowTop}px)`,
                    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                  }}
                >
                  {inRow.map((file) => (
                    <FileTile
                      key={file.id}
                      file={file}
                      isSelected={selection.ids.has(file.id)}
                      isCut={props.cutIds?.has(file.id) === true}
                      isActive={selection.active === file.id}
                      onToggle={onToggle}
                      actions={actions}
                      search={search}
                      dropResult={dropOn(file.id)}
                      isDraggable={drag !== undefined}
                    />
                  ))}
                </div>
              )
            }
            return inRow.map((file) => (
              <FileRow
                key={file.id}
                file={file}
                rowIndex={index + 2}
                isNarrow={isNarrow}
                isSelected={selection.ids.has(file.id)}
                isCut={props.cutIds?.has(file.id) === true}
                isActive={selection.active === file.id}
                onToggle={onToggle}
                actions={actions}
                search={search}
                dropResult={dropOn(file.id)}
                isDraggable={drag !== undefined}
                height={rowHeight}
                top={rowTop}
              />
            ))
          })}
        </div>
        {props.isLoadingMore === true ? (
          <p className="flex justify-center gap-2 py-4 text-ink-soft text-sm">
            <Spinner label={messages.files.loadingMore} />
          </p>
        ) : undefined}
      </div>
    </AreaMenu>
  )
}

/** The menu key, or Shift and F10, opens the menu of the row that the arrows reached. */
function openByKey({ button, target, currentTarget }: MouseEvent, active: string | undefined): void {
  if (button === 2 || target !== currentTarget || active === undefined) return
  const row = document.getElementById(`file-${active}`)
  if (row === null) return
  const { left, top, height } = row.getBoundingClientRect()
  const at = { clientX: left + 3 * height, clientY: top + height / 2 }
  row.dispatchEvent(new globalThis.MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...at }))
}

function hasMenu(): boolean {
  return document.querySelector('[role=menu]') !== null
}

function isTouch(event: globalThis.MouseEvent): boolean {
  return event instanceof PointerEvent && event.pointerType === 'touch'
}

/** Returns a function that computes a value when it is first called. */
function readOnce<Value>(read: () => Value): () => Value {
  let known: { value: Value } | undefined
  return () => {
    known ??= { value: read() }
    return known.value
  }
}

/** Links, buttons and checkboxes within a row handle their own clicks. */
function isOwnPress(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a,button,input,label') !== null
}

/** Returns the effect of a key on the selection; `handled` if it did something else, undefined if it is not ours. */
function readKey(
  event: KeyboardEvent,
  { selection, files, isGrid, onOpen, onDelete, onSelectAll }: CollectionProps,
  order: readonly string[],
  columns: number,
): Selection | 'handled' | undefined {
  const { key, shiftKey, ctrlKey, metaKey, target, currentTarget } = event
  const isOnPart = target !== currentTarget && isOwnPress(target)
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'a') {
    onSelectAll()
    return 'handled'
  }
  if (ctrlKey || metaKey || event.altKey) return undefined
  const steps = {
    ArrowDown: columns,
    ArrowUp: -columns,
    ...(isGrid ? { ArrowRight: 1, ArrowLeft: -1 } : {}),
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
    PageDown: columns * 8,
    PageUp: -columns * 8,
  }
  for (const [name, by] of Object.entries(steps)) {
    if (name === key) return moveActive(order, selection, by, shiftKey)
  }
  if (key === 'Escape') return selection.ids.size === 0 ? undefined : { ...selection, ids: new Set() }
  if (key === 'Delete' && selection.ids.size > 0) {
    onDelete(files.filter(({ id }) => selection.ids.has(id)))
    return 'handled'
  }
  if (isOnPart) return undefined
  if (key === ' ' && selection.active !== undefined) return selectRow(order, selection, selection.active, 'toggle')
  const file = files.find(({ id }) => id === selection.active)
  if (key === 'Delete' && file !== undefined) {
    onDelete([file])
    return 'handled'
  }
  if (key === 'Enter' && file !== undefined) {
    onOpen(file)
    return 'handled'
  }
  return undefined
}

/** Returns the number of tiles per row. @param width @param gap in px */
function useColumns(body: RefObject<HTMLDivElement | null>, isGrid: boolean, width: number, gap: number): number {
  const [columns, setColumns] = useState(1)
  useLayoutEffect(() => {
    const { current } = body
    if (!isGrid || current === null) {
      setColumns(1)
      return
    }
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setColumns(Math.max(2, Math.floor((entry.contentRect.width + gap) / (width + gap))))
    })
    watch.observe(current)
    return () => watch.disconnect()
  }, [body, isGrid, width, gap])
  return columns
}

/** Scrolls a row into view, out from under the bars that stay in place. */
function reveal({ current: list }: RefObject<HTMLElement | null>, below: number, height: number): void {
  if (list === null) return
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement)
  const top = list.getBoundingClientRect().top + below
  const above = top - (Number.parseFloat(scrollPaddingTop) || 0)
  const beyond = top + height - innerHeight + (Number.parseFloat(scrollPaddingBottom) || 0)
  if (above < 0) scrollBy(0, above)
  else if (beyond > 0) scrollBy(0, beyond)
}
