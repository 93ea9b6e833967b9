import {
  type Client,
  type EncryptedFolderFile,
  openDecrypted,
  openEncryptedFolder,
  openEncryptedTree,
} from '@cairn/sdk'
import { filesBelow } from '../content/files-below.ts'
import type { Entry } from './entry.ts'
import { readTree } from './read-tree.ts'

/** An encrypted upload, and its place in the ZIP. */
type EncryptedItem = {
  path: string
  cid: string
  /** Includes only the part below this path of a folder. */
  innerPath: string | undefined
  masterKey: string
  lastModified: Date
  isStoredFolder: boolean
}

/** Cost of a request for one file, in unneeded bytes of a response. */
const requestBytes = 64 * 1024

/**
 * Opens an encrypted file, or the files and empty folders of an encrypted folder one after the other. The files come in one
 * response, unless most of it would be files of other folders.
 * @throws CairnError those of `openDecrypted` and `openEncryptedFolder`
 */
export async function* openEncryptedEntries(
  client: Client,
  { path, cid, innerPath = '', masterKey, lastModified, isStoredFolder }: EncryptedItem,
): AsyncGenerator<Entry, void, undefined> {
  const folder = isStoredFolder ? await openEncryptedFolder(client, cid, { masterKey }) : undefined
  if (folder === undefined) {
    yield { name: path, lastModified, input: await openEncryptedFile(client, cid, masterKey) }
    return
  }
  const wanted = new Map(
    filesBelow(folder.files, innerPath).map(({ file, pathBelow }) => [file.path, { file, pathBelow }]),
  )
  const files = [...wanted.values()].map(({ file }) => file)
  if (totalOf(folder.files) - totalOf(files) <= files.length * requestBytes) {
    const items = readTree(
      () => openEncryptedTree(client, cid, { files, masterKey }),
      async (names, fromByte) => {
        const cidPath = files.find((file) => file.path === names.join('/'))?.cidPath ?? cid
        return skip(await openDecrypted(client, cidPath, { masterKey }), fromByte)
      },
    )
    for await (const { names, input } of items) {
      const found = wanted.get(names.join('/'))
      if (found === undefined || input === undefined) continue
      wanted.delete(found.file.path)
      yield { name: `${path}/${found.pathBelow}`, lastModified, input }
    }
  }
  // Files that the response did not contain: usually none.
  for (const { file, pathBelow } of wanted.values()) {
    const input = await openDecrypted(client, file.cidPath, { masterKey })
    yield { name: `${path}/${pathBelow}`, lastModified, input }
  }
  const isEmpty = folder.files.length + folder.folders.length === 0
  if (isEmpty || folder.folders.includes(innerPath)) yield { name: path, lastModified }
  for (const { pathBelow } of filesBelow(
    folder.folders.map((one) => ({ path: one })),
    innerPath,
  )) {
    yield { name: `${path}/${pathBelow}`, lastModified }
  }
}

/** @throws CairnError those of `openDecrypted` */
export function openEncryptedFile(client: Client, cid: string, masterKey: string): Promise<AsyncIterable<Uint8Array>> {
  return openDecrypted(client, cid, { masterKey })
}

function totalOf(files: readonly EncryptedFolderFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Yields the bytes after the first `count`. */
async function* skip(pieces: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array, void, undefined> {
  let left = count
  for await (const piece of pieces) {
    if (left < piece.length) yield piece.subarray(left)
    left = Math.max(0, left - piece.length)
  }
}
