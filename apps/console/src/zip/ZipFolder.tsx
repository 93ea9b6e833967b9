import type { EncryptedFolder } from '@cairn/sdk'
import { lazy, Suspense, useState } from 'react'
import { Download } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'

const ZipDialog = lazy(async () => ({ default: (await import('./ZipDialog.tsx')).ZipDialog }))

/** Saves an open encrypted folder as one ZIP, for its owner and for anyone it was shared with. */
export function ZipFolder({
  cid,
  name,
  folder: { masterKey, files },
}: {
  cid: string
  name: string
  folder: EncryptedFolder
}) {
  /** When the dialog was opened, in ms since 1970: the folder states no times of its files. */
  const [openedAt, setOpenedAt] = useState<number>()
  if (files.length === 0) return undefined
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
            items={[{ path: name, cid, mimeType: null, isEncrypted: true, isPrivate: false, modifiedAt: openedAt }]}
            totalBytes={files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)}
            fileCount={files.length}
            masterKey={masterKey}
            onClose={() => setOpenedAt(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}
