import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'

// An encrypted folder is a directory of encrypted files that are called 0, 1, 2 and so on, and one called `index`, which says
// what their names are. All are of the second format, under one key: the folder's.

/** Name of the encrypted file that holds the names. */
export const indexName = 'index'
/** Largest index that is read. */
export const indexBytesMost = 64 * 1024 * 1024

/** One file of an encrypted folder. */
export type IndexedFile = {
  /** Below the folder, names parted by `/`. */
  path: string
  /** Its name in the directory. */
  entry: string
  /** Bytes before it was encrypted. */
  sizeBytes: number
}

const indexSchema = v.object({
  version: v.literal(1),
  files: v.array(
    v.object({
      path: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
      entry: v.pipe(v.string(), v.regex(/^\d{1,9}$/)),
      sizeBytes: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    }),
  ),
})

export function writeFolderIndex(files: readonly IndexedFile[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ version: 1, files }))
}

/**
 * Reads an index. Its names come from strangers: none may lead out of the folder, come twice, or be a file and a folder at once.
 * @throws CairnError NOT_ENCRYPTED (it is none), INVALID_PATH, DUPLICATE_NAME
 */
export function readFolderIndex(bytes: Uint8Array): IndexedFile[] {
  const files = parseIndex(bytes)
  const paths = new Set<string>()
  for (const { path } of files) {
    if (path.split('/').some((name) => name === '' || name === '.' || name === '..' || /[\0\\]/.test(name)))
      throw new CairnError('INVALID_PATH', {
        message: `The folder holds a path that is not safe: ${JSON.stringify(path)}`,
      })
    if (paths.has(path)) throw new CairnError('DUPLICATE_NAME', { message: `Duplicate file name found: ${path}` })
    paths.add(path)
  }
  for (const { path } of files) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const above = path.slice(0, at)
      if (paths.has(above)) throw new CairnError('DUPLICATE_NAME', { message: `Duplicate file name found: ${above}` })
    }
  }
  return files
}

function parseIndex(bytes: Uint8Array): IndexedFile[] {
  try {
    return v.parse(indexSchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).files
  } catch (cause) {
    throw new CairnError('NOT_ENCRYPTED', { message: 'This is not an encrypted folder', cause })
  }
}
