import { CairnError, isDriveKeyLost } from '@cairn/sdk'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keepKnownDrive, readKnownDrive } from '../drive-index/known-drives.ts'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { useDriveQuery } from '../drive-index/use-drive.ts'
import { FilesSkeleton } from '../files/FilesSkeleton.tsx'
import { UploadsView } from '../files/UploadsView.tsx'
import { explainError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { Banner } from '../ui/states/Banner.tsx'
import { setPlacer } from '../upload/upload-place.ts'
import { DuplicatesView } from './DuplicatesView.tsx'
import { FolderPage } from './FolderPage.tsx'
import { LostDrive } from './LostDrive.tsx'
import { Places } from './Places.tsx'
import { placeSoon } from './place-uploads.ts'
import { TrashView } from './TrashView.tsx'

/** The files of the account in folders of its own. If they cannot be opened, the page lists all uploads and says why. */
export function DrivePage() {
  const { data, error, refetch } = useDriveQuery()
  const isOpen = data !== undefined
  useEffect(() => (isOpen ? setPlacer(placeSoon) : undefined), [isOpen])
  const { place } = useSearch({ from: '/files' })
  if (data !== undefined) return place === 'uploads' ? <UploadsView places={<Places />} /> : <Place shown={data} />
  if (error !== null) return <UploadsView places={<Unopened error={error} onRetry={() => void refetch()} />} />
  return place === 'uploads' ? <UploadsView places={<Places />} /> : <FilesSkeleton places={<Places />} />
}

function Place({ shown }: { shown: ShownDrive }) {
  const { place } = useSearch({ from: '/files' })
  if (place === 'trash') return <TrashView shown={shown} />
  if (place === 'duplicates') return <DuplicatesView shown={shown} />
  return <FolderPage shown={shown} />
}

/** Explains why there are no folders, and offers to open them. */
function Unopened({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const account = useSession()?.address ?? ''
  const needKeyClient = useKeyClient()
  if (CairnError.is(error, 'NO_SESSION')) {
    return (
      <Banner
        action={
          <Button size="small" onClick={() => void needKeyClient().catch(() => undefined)}>
            {messages.drive.unlock}
          </Button>
        }
      >
        {messages.drive.locked}
      </Banner>
    )
  }
  if (isDriveKeyLost(error)) return <LostDrive account={account} onStarted={onRetry} />
  const isWrong = CairnError.is(error, 'VERIFICATION_FAILED')
  // Without a memory of newer ones, something else is wrong with them.
  const isOlder = isWrong && readKnownDrive(account) !== undefined
  const useOlder = () => {
    keepKnownDrive(account, undefined)
    onRetry()
  }
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" onClick={isOlder ? useOlder : onRetry}>
          {isOlder ? messages.drive.useOlder : messages.shell.retry}
        </Button>
      }
    >
      {isOlder
        ? messages.drive.older
        : `${messages.drive.failed} ${isWrong ? messages.drive.wrong : explainError(error)}`}
    </Banner>
  )
}
