import { createNaturalOrder } from '@cairn/protocol'

/** What the order of a folder follows. */
type Sorted = { kind: 'folder' | 'file'; name: string }

const byName = createNaturalOrder('en')

/** Sorts the items of a folder: folders first, then by name. */
export function sortItems<Item extends Sorted>(items: Iterable<Item>): Item[] {
  const folders: Item[] = []
  const files: Item[] = []
  for (const item of items) (item.kind === 'folder' ? folders : files).push(item)
  const nameOf = ({ name }: Item) => name
  return [...byName.sort(folders, nameOf), ...byName.sort(files, nameOf)]
}

/** As `sortItems` sorts. Names of a folder differ, so the order is total. */
function compareItems(a: Sorted, b: Sorted): number {
  if (a.kind !== b.kind) return a.kind === 'folder' ? -1 : 1
  return byName.compare(a.name, b.name)
}

/**
 * Returns a sorted list with some items replaced, removed and added, without sorting the others.
 * @param changes each changed item as it is in the list, and as it becomes
 */
export function updateSorted<Item extends Sorted>(
  list: readonly Item[],
  changes: readonly { before: Sorted | undefined; after: Item | undefined }[],
): Item[] {
  const next = [...list]
  // All of them first: an item may take the name that another had.
  for (const { before } of changes) if (before !== undefined) next.splice(findIndex(next, before), 1)
  for (const { after } of changes) if (after !== undefined) next.splice(findIndex(next, after), 0, after)
  return next
}

function findIndex(list: readonly Sorted[], item: Sorted): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const other = list[middle]
    if (other !== undefined && compareItems(other, item) < 0) from = middle + 1
    else to = middle
  }
  return from
}
