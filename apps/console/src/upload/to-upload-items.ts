import type { PathFile } from '../transfers/path-file.ts'
import type { UploadItem } from './upload-item.ts'

let lines = 0
const nextId = () => `line-${lines++}`

/**
 * Groups files into lines: those with a path belong to the folder of its first segment; the others are lines
 * themselves.
 */
export function toUploadItems(files: readonly PathFile[]): UploadItem[] {
  const items: UploadItem[] = []
  const folders = Map.groupBy(
    files.filter(({ path }) => path.includes('/')),
    ({ path }) => path.slice(0, path.indexOf('/')),
  )
  for (const { path, file, handle } of files) {
    if (path.includes('/')) continue
    const kept = handle === undefined ? {} : { handle }
    items.push({ id: nextId(), kind: 'file', name: path, sizeBytes: file.size, file, ...kept })
  }
  for (const [name, inside] of folders) {
    const sizeBytes = inside.reduce((sum, { file }) => sum + file.size, 0)
    const handle = inside[0]?.handle
    const kept = handle === undefined ? {} : { handle }
    items.push({ id: nextId(), kind: 'folder', name, sizeBytes, files: inside, ...kept })
  }
  return items
}
