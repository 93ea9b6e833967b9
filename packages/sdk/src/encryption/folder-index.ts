import { CairnError, duplicateName } from '@cairn/protocol'
import * as v from 'valibot'
import { isSafeName } from '#platform/folder-entries'

// An encrypted folder is a directory of encrypted files named 0, 1, 2 and so on, with one named `index` that maps them
// to their names. All are of the second format, under the key of the folder.

/** Name of the encrypted file that holds the names. */
export const indexName = 'index'
/** Maximum size of an index, in bytes. */
export const maxIndexBytes = 64 * 1024 * 1024

/** One file of an encrypted folder. */
export type IndexedFile = {
  /** Path below the folder, segments separated by `/`. */
  path: string
  /** Its name in the directory. */
  entry: string
  /** Size before encryption, in bytes. */
  sizeBytes: number
}

/** The names of an encrypted folder. */
export type FolderIndex = {
  files: IndexedFile[]
  /** Paths of the empty folders. */
  folders: string[]
}

/** Returns whether a directory with these names may be an encrypted folder. Only its key can prove that. */
export function mayBeEncryptedFolder(names: readonly string[]): boolean {
  return names.includes(indexName) && names.every((name) => name === indexName || entryPattern.test(name))
}

const entryPattern = /^\d{1,9}$/
const pathSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(4096))
// `folders` was added later; older readers ignore it.
const indexSchema = v.object({
  version: v.literal(1),
  folders: v.optional(v.array(pathSchema), []),
  files: v.array(
    v.object({
      path: pathSchema,
      entry: v.pipe(v.string(), v.regex(entryPattern)),
      sizeBytes: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    }),
  ),
})

export function writeFolderIndex(files: readonly IndexedFile[], folders: readonly string[] = []): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ version: 1, files, ...(folders.length === 0 ? {} : { folders }) }))
}

/**
 * Parses an index. Its names are untrusted: none may escape the folder, occur twice, or be both a file and a folder.
 * @throws CairnError NOT_ENCRYPTED (not an index), INVALID_PATH, DUPLICATE_NAME
 */
export function readFolderIndex(bytes: Uint8Array): FolderIndex {
  const { files, folders } = parseIndex(bytes)
  const paths = new Set<string>()
  const all = [...files.map(({ path }) => path), ...folders]
  for (const path of all) {
    if (!path.split('/').every(isSafeName))
      throw new CairnError('INVALID_PATH', {
        message: `The folder contains a path that is not safe: ${JSON.stringify(path)}`,
        details: { fileName: path },
      })
    if (paths.has(path)) throw duplicateName(path)
    paths.add(path)
  }
  for (const path of all) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const above = path.slice(0, at)
      if (paths.has(above)) throw duplicateName(above)
    }
  }
  return { files, folders }
}

function parseIndex(bytes: Uint8Array): FolderIndex {
  try {
    return v.parse(indexSchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (cause) {
    throw new CairnError('NOT_ENCRYPTED', { message: 'The file is not an encrypted folder', cause })
  }
}
