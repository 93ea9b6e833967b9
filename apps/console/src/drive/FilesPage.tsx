import { Outlet, useChildMatches } from '@tanstack/react-router'
import { useHasDrive } from '../drive-index/use-drive.ts'
import { UploadsView } from '../files/UploadsView.tsx'
import { messages } from '../messages/messages.ts'
import { SignInGate } from '../session/SignInGate.tsx'
import { DrivePage } from './DrivePage.tsx'

/** The drive, or the list of uploads; a single file opens over it. Visitors can open public files without the list. */
export function FilesPage() {
  const hasFile = useChildMatches().length > 0
  const hasDrive = useHasDrive()
  return (
    <>
      <SignInGate isQuiet={hasFile} title={messages.pages.files}>
        {() => (hasDrive ? <DrivePage /> : <UploadsView />)}
      </SignInGate>
      <Outlet />
    </>
  )
}
