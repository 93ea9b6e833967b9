import { language } from '../messages/language.ts'
import { isEmptyFolder, type PathFile } from '../transfers/path-file.ts'
import type { UploadItem } from './upload-item.ts'

let lines = 0
const nextId = () => `line-${lines++}`

/**
 * Groups files into lines: files with a path and empty folders belong to the folder of its first segment; each other file is a
 * line.
 * @param isChosen whether the files come from a dialog, and not from a drop
 */
export function toUploadItems(files: readonly PathFile[], isChosen = false): UploadItem[] {
  const items: UploadItem[] = []
  const folders = Map.groupBy(
    files.filter((one) => !isLine(one)),
    ({ path }) => path.split('/', 1)[0] ?? path,
  )
  for (const { path, file, handle } of files.filter(isLine)) {
    const kept = handle === undefined ? {} : { handle }
    items.push({ id: nextId(), kind: 'file', name: path, sizeBytes: file.size, file, ...kept })
  }
  const order = new Intl.Collator(language, { numeric: true })
  for (const [name, unsorted] of folders) {
    // Browsers list them in the order of the disk.
    const inside = unsorted.toSorted((one, other) => order.compare(one.path, other.path))
    const sizeBytes = inside.reduce((sum, { file }) => sum + file.size, 0)
    const handle = inside[0]?.handle
    const kept = handle === undefined ? {} : { handle }
    items.push({ id: nextId(), kind: 'folder', name, sizeBytes, files: inside, isChosen, ...kept })
  }
  return items
}

function isLine({ path, file }: PathFile): boolean {
  return !path.includes('/') && !isEmptyFolder(file)
}
