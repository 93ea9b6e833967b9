/** The selected rows, the start of a range, and the keyboard position. */
export type Selection = {
  readonly ids: ReadonlySet<string>
  /** The row that a range is measured from. */
  readonly anchor: string | undefined
  /** The row that keys act on. */
  readonly active: string | undefined
}

export const noSelection: Selection = { ids: new Set(), anchor: undefined, active: undefined }

/** How a row was clicked: Ctrl or ⌘ toggles it, Shift selects all rows from the anchor. */
export type SelectMode = 'only' | 'toggle' | 'range'

/** Applies a click on a row. `order` is the displayed order, so it works for list, grid and search results. */
export function selectRow(order: readonly string[], selection: Selection, id: string, mode: SelectMode): Selection {
  if (mode === 'toggle') {
    const ids = new Set(selection.ids)
    if (!ids.delete(id)) ids.add(id)
    return { ids, anchor: id, active: id }
  }
  if (mode === 'range' && selection.anchor !== undefined) {
    const from = order.indexOf(selection.anchor)
    const to = order.indexOf(id)
    if (from >= 0 && to >= 0) {
      const ids = new Set(order.slice(Math.min(from, to), Math.max(from, to) + 1))
      return { ids, anchor: selection.anchor, active: id }
    }
  }
  return { ids: new Set([id]), anchor: id, active: id }
}

/** Moves the active row by an offset, an infinite one to an end; Shift extends the selection. */
export function moveActive(order: readonly string[], selection: Selection, steps: number, isRange: boolean): Selection {
  if (order.length === 0) return selection
  const at = selection.active === undefined ? -1 : order.indexOf(selection.active)
  // Without an active row, a step starts at an end of the list.
  const isStart = at < 0 && Number.isFinite(steps)
  const next = isStart ? (steps > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + steps))
  const id = order[next]
  if (id === undefined) return selection
  if (!isRange) return { ...selection, active: id }
  const anchor = selection.anchor ?? selection.active ?? id
  return selectRow(order, { ...selection, anchor }, id, 'range')
}

/**
 * Removes missing rows from the selection. Returns the same object if nothing changed.
 * @param before the previous rows: if the active row is missing, the row now at its position becomes active
 */
export function keepExisting(
  files: readonly { id: string }[],
  selection: Selection,
  before: readonly { id: string }[] = [],
): Selection {
  if (selection.ids.size === 0 && selection.active === undefined) return selection
  const existing = new Set(files.map(({ id }) => id))
  const ids = [...selection.ids].filter((id) => existing.has(id))
  const keeps = (id: string | undefined) => (id !== undefined && existing.has(id) ? id : undefined)
  if (ids.length === selection.ids.size && keeps(selection.active) === selection.active) return selection
  const at = before.findIndex(({ id }) => id === selection.active)
  const isThere = ({ id }: { id: string }) => existing.has(id)
  const near = at < 0 ? undefined : (before.slice(at).find(isThere) ?? before.slice(0, at).findLast(isThere))
  return { ids: new Set(ids), anchor: keeps(selection.anchor), active: keeps(selection.active) ?? near?.id }
}
