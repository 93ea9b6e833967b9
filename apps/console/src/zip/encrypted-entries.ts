import { type Client, openDecrypted, openEncryptedFolder } from '@cairn/sdk'
import { filesBelow } from '../content/files-below.ts'
import type { Entry } from './entry.ts'

/** An encrypted upload, and where it stands in the ZIP. */
type EncryptedItem = {
  path: string
  cid: string
  /** Of a folder, only what is below this folder in it. */
  innerPath: string | undefined
  masterKey: string
  lastModified: Date
  isStoredFolder: boolean
}

/**
 * Opens an encrypted file, or the files and empty folders of an encrypted folder one after the other.
 * @throws CairnError those of `openDecrypted` and `openEncryptedFolder`
 */
export async function* openEncryptedEntries(
  client: Client,
  { path, cid, innerPath = '', masterKey, lastModified, isStoredFolder }: EncryptedItem,
): AsyncGenerator<Entry, void, undefined> {
  const folder = isStoredFolder ? await openEncryptedFolder(client, cid, { masterKey }) : undefined
  if (folder === undefined) {
    yield { name: path, lastModified, input: await openDecrypted(client, cid, { masterKey }) }
    return
  }
  for (const { file, pathBelow } of filesBelow(folder.files, innerPath)) {
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
