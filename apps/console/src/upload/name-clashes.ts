import { numberName } from '../content/number-name.ts'
import type { UploadItem } from './upload-item.ts'

/** What happens to uploads whose names are taken in their folder. */
export const clashChoices = ['version', 'both', 'skip'] as const
export type ClashChoice = (typeof clashChoices)[number]

/** Returns the items whose names are taken. @param isTaken whether the folder has an item of this name */
export function findClashes(items: readonly UploadItem[], isTaken: (name: string) => boolean): UploadItem[] {
  return items.filter(({ name }) => isTaken(name.trim()))
}

/** Returns the items to upload: those whose names are taken as they are, with a number, or not at all. */
export function resolveClashes(
  items: readonly UploadItem[],
  isTaken: (name: string) => boolean,
  choice: ClashChoice,
): UploadItem[] {
  if (choice === 'version') return [...items]
  const clashes = new Set(findClashes(items, isTaken))
  if (choice === 'skip') return items.filter((item) => !clashes.has(item))
  const names = new Set(items.map(({ name }) => name.trim()))
  return items.map((item) => {
    if (!clashes.has(item)) return item
    const name = numberName(item.name.trim(), (one) => isTaken(one) || names.has(one))
    names.add(name)
    return { ...item, name }
  })
}
