import { mayBeFolder } from '../content/folder-type.ts'
import { numberName } from '../content/number-name.ts'
import { plainSizeOf } from '../content/plain-size.ts'
import { messages } from '../messages/messages.ts'
import type { ZipItem } from '../zip/zip-order.ts'
import type { ListedFile } from './listed-file.ts'

/**
 * Returns a ZIP of uploads. Their names are their own, so several may be equal: later ones get a number.
 * @returns `fileCount` undefined if one may be a stored folder: the list does not know how many files are in it
 */
export function zipOfUploads(files: readonly ListedFile[]): {
  name: string
  items: ZipItem[]
  totalBytes: number
  fileCount: number | undefined
} {
  const taken = new Set<string>()
  const items = files.map((file) => {
    const { cid, fileName, mimeType, encryption, private: isPrivate = false, createdAt, fileSizeInBytes } = file
    const path = numberName(fileName === '' ? cid : fileName, (name) => taken.has(name))
    taken.add(path)
    return {
      path,
      cid,
      mimeType,
      isEncrypted: encryption,
      isPrivate,
      sizeBytes: Number(fileSizeInBytes),
      modifiedAt: createdAt,
    }
  })
  const [only] = items
  return {
    name: `${items.length === 1 && only !== undefined ? only.path : messages.drive.zipName}.zip`,
    items,
    totalBytes: plainSizeOf(files).maxBytes,
    fileCount: files.some(mayBeFolder) ? undefined : files.length,
  }
}
