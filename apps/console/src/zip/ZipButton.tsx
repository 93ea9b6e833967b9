import { Suspense, useState } from 'react'
import { Download } from '#icons'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Button } from '../ui/Button.tsx'
import type { ZipItem } from './zip-order.ts'

const ZipDialog = lazyPart(async () => (await import('./ZipDialog.tsx')).ZipDialog, 'toast')

/** Saves stored folders as one ZIP. */
export function ZipButton({
  name,
  items,
  fileCount,
  ...known
}: {
  /** Name of the ZIP, without its ending. */
  name: string
  /** Without times, which stored folders do not contain. */
  items: readonly Omit<ZipItem, 'modifiedAt'>[]
  totalBytes: number
  /** Undefined if it is not known. */
  fileCount?: number
  /** The file key of all items, if they are encrypted. */
  masterKey?: string
}) {
  /** When the dialog was opened, in ms since 1970. */
  const [openedAt, setOpenedAt] = useState<number>()
  return (
    <>
      <Button onClick={() => setOpenedAt(Date.now())}>
        <Download aria-hidden="true" size={16} />
        {messages.drive.zipTitle(fileCount ?? 0)}
      </Button>
      <Suspense>
        {openedAt === undefined ? undefined : (
          <ZipDialog
            name={`${name}.zip`}
            items={items.map((item) => ({ ...item, modifiedAt: openedAt }))}
            fileCount={fileCount}
            {...known}
            onClose={() => setOpenedAt(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
