import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { decryptStream } from '../encryption/decrypt-stream.ts'
import { type OpenTree, openTree, type TreeItem } from './open-tree.ts'

/** One file of an encrypted folder. */
export type EncryptedFolderFile = {
  /** Path below the folder, segments separated by `/`. */
  path: string
  /** Size after decryption, in bytes. */
  sizeBytes: number
  /** Path for `openDecrypted` and related functions, together with the key of the folder. */
  cidPath: string
}

/**
 * Opens files of an encrypted folder with one request, by their paths; `openEncryptedFolder` returns the files. Yields neither
 * folders nor files that `files` does not contain. A file with several paths has the last of them.
 * @throws CairnError as openTree; the bytes also fail with NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function openEncryptedTree(
  client: Client,
  cid: string,
  { files, masterKey }: { readonly files: readonly EncryptedFolderFile[]; readonly masterKey: string },
  options: { signal?: AbortSignal | undefined } = {},
): Promise<OpenTree> {
  const tree = await openTree(client, cid, options)
  const byEntry = new Map(files.map((file) => [file.cidPath.slice(file.cidPath.lastIndexOf('/') + 1), file]))
  const items = async function* (): AsyncGenerator<TreeItem, void, undefined> {
    for await (const item of tree.items) {
      if (item.kind !== 'file') continue
      const file = item.names.length === 1 ? byEntry.get(item.names[0] ?? '') : undefined
      if (file === undefined) {
        // The next item comes after these bytes.
        for await (const _ of item.bytes);
        continue
      }
      const bytes = requireSize(decryptStream(item.bytes, masterKey), file)
      yield { kind: 'file', names: file.path.split('/'), sizeBytes: file.sizeBytes, bytes }
    }
  }
  return {
    items: items(),
    get failure() {
      return tree.failure
    },
    close: tree.close,
  }
}

/** Passes on bytes, and requires the number that the index states: readers reserve memory for it. */
async function* requireSize(
  pieces: AsyncIterable<Uint8Array>,
  { path, sizeBytes }: EncryptedFolderFile,
): AsyncGenerator<Uint8Array, void, undefined> {
  const wrong = () =>
    new CairnError('DECRYPTION_FAILED', { message: `The length of ${path} differs from the index of its folder` })
  let total = 0
  for await (const piece of pieces) {
    total += piece.length
    if (total > sizeBytes) throw wrong()
    yield piece
  }
  if (total < sizeBytes) throw wrong()
}
