import { language } from '../messages/language.ts'
import { filesBelow } from './files-below.ts'

/** A name in a folder: the size of a file in bytes, undefined for a folder. */
export type NameBelow = { name: string; sizeBytes: number | undefined }

/**
 * Returns the names in a folder from a list of paths, folders first; undefined if the folder does not exist.
 * @param emptyFolders paths of the folders that contain nothing
 */
export function namesBelow(
  files: readonly { path: string; sizeBytes: number }[],
  folder: string,
  emptyFolders: readonly string[] = [],
): NameBelow[] | undefined {
  const names = new Map<string, number | undefined>()
  for (const { file, pathBelow } of filesBelow(files, folder)) {
    const slash = pathBelow.indexOf('/')
    names.set(slash < 0 ? pathBelow : pathBelow.slice(0, slash), slash < 0 ? file.sizeBytes : undefined)
  }
  for (const { pathBelow } of filesBelow(
    emptyFolders.map((path) => ({ path })),
    folder,
  ))
    names.set(pathBelow.split('/', 1)[0] ?? '', undefined)
  if (names.size === 0 && folder !== '' && !emptyFolders.includes(folder)) return undefined
  const order = new Intl.Collator(language, { numeric: true })
  return [...names]
    .map(([name, sizeBytes]) => ({ name, sizeBytes }))
    .sort(
      (one, other) =>
        Number(one.sizeBytes !== undefined) - Number(other.sizeBytes !== undefined) ||
        order.compare(one.name, other.name),
    )
}
