import type { EncryptedFolder } from '@cairn/sdk'
import { lazy, Suspense, useState } from 'react'
import { Download } from '#icons'
import { filesBelow } from '../content/files-below.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'

const ZipDialog = lazy(async () => ({ default: (await import('./ZipDialog.tsx')).ZipDialog }))

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
  /** When the dialog was opened, in ms since 1970: the folder states no times of its files. */
  const [openedAt, setOpenedAt] = useState<number>()
  const files = filesBelow(allFiles, path)
  // An empty folder, or what is below it: nothing of it can be saved.
  if (files.length === 0 && !folders.some((one) => path === '' || one.startsWith(`${path}/`))) return undefined
  const name = path === '' ? rootName : path.slice(path.lastIndexOf('/') + 1)
  return (
    <div>
      <Button onClick={() => setOpenedAt(Date.now())}>
        <Download aria-hidden="true" size={16} />
        {messages.drive.zipTitle(files.length)}
      </Button>
      <Suspense>
        {openedAt === undefined ? undefined : (
          <ZipDialog
            name={`${name}.zip`}
            items={[
              {
                path: name,
                cid,
                innerPath: path,
                mimeType: null,
                isEncrypted: true,
                isPrivate: false,
                modifiedAt: openedAt,
              },
            ]}
            totalBytes={files.reduce((sum, { file }) => sum + file.sizeBytes, 0)}
            fileCount={files.length}
            masterKey={masterKey}
            onClose={() => setOpenedAt(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}
