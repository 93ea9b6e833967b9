import type { EncryptedFolder } from '@cairn/sdk'
import { filesBelow } from '../content/files-below.ts'
import { ZipButton } from './ZipButton.tsx'

/** Saves an open encrypted folder, or a folder in it, as one ZIP, for its owner and for anyone it was shared with. */
export function ZipFolder({
  cid,
  path,
  name: rootName,
  folder: { masterKey, files: allFiles, folders },
}: {
  cid: string
  /** Path of the folder in the encrypted one; '' for all of it. */
  path: string
  /** Name of the encrypted folder. */
  name: string
  folder: EncryptedFolder
}) {
  const files = filesBelow(allFiles, path)
  // Nothing can be saved of an empty folder.
  if (files.length === 0 && !folders.some((one) => path === '' || one.startsWith(`${path}/`))) return undefined
  const name = path === '' ? rootName : path.slice(path.lastIndexOf('/') + 1)
  return (
    <div>
      <ZipButton
        name={name}
        items={[{ path: name, cid, innerPath: path, mimeType: null, isEncrypted: true, isPrivate: false }]}
        totalBytes={files.reduce((sum, { file }) => sum + file.sizeBytes, 0)}
        fileCount={files.length}
        masterKey={masterKey}
      />
    </div>
  )
}
