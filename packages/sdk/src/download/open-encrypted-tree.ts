import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { decryptStream } from '../encryption/decrypt-stream.ts'
import type { IndexedFile } from '../encryption/folder-index.ts'
import { type OpenTree, openTree, type TreeItem } from './open-tree.ts'

/**
 * Opens the files of an encrypted folder with one request, by their paths. Their folders are not among the items, and neither is
 * what the index does not name. A file of several paths has the last of them.
 * @throws CairnError as openTree; the bytes also fail with NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function openEncryptedTree(
  client: Client,
  cid: string,
  { files, masterKey }: { readonly files: readonly IndexedFile[]; readonly masterKey: string },
  signal: AbortSignal | undefined,
): Promise<OpenTree> {
  const tree = await openTree(client, cid, signal)
  const byEntry = new Map(files.map((file) => [file.entry, file]))
  const items = async function* (): AsyncGenerator<TreeItem, void, undefined> {
    for await (const item of tree.items) {
      if (item.kind !== 'file') continue
      const file = item.names.length === 1 ? byEntry.get(item.names[0] ?? '') : undefined
      if (file === undefined) {
        // The next item follows its bytes.
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

/** Passes on bytes whose number the index states: readers reserve memory by it. */
async function* requireSize(
  pieces: AsyncIterable<Uint8Array>,
  { path, sizeBytes }: IndexedFile,
): AsyncGenerator<Uint8Array, void, undefined> {
  const wrong = () =>
    new CairnError('DECRYPTION_FAILED', { message: `${path} is not as long as the index of its folder states` })
  let total = 0
  for await (const piece of pieces) {
    total += piece.length
    if (total > sizeBytes) throw wrong()
    yield piece
  }
  if (total < sizeBytes) throw wrong()
}
