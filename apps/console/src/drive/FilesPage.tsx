import { Outlet, useChildMatches, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useHasDrive } from '../drive-index/use-drive.ts'
import { UploadsView } from '../files/UploadsView.tsx'
import { messages } from '../messages/messages.ts'
import { SignInGate } from '../session/SignInGate.tsx'
import { isInterrupted, useSession } from '../session/session-store.ts'
import { DrivePage } from './DrivePage.tsx'

/** The drive, or the list of uploads; a single file opens over it. Visitors can open public files without the list. */
export function FilesPage() {
  const hasFile = useChildMatches().length > 0
  const hasDrive = useHasDrive()
  useCloseOnSignOut(hasFile)
  return (
    <>
      <SignInGate isQuiet={hasFile} title={messages.pages.files}>
        {() => (hasDrive ? <DrivePage /> : <UploadsView />)}
      </SignInGate>
      <Outlet />
    </>
  )
}

/** Closes the open file when its user signs out in another tab, because the list behind it is gone. */
function useCloseOnSignOut(hasFile: boolean): void {
  const address = useSession()?.address
  const navigate = useNavigate()
  const before = useRef(address)
  useEffect(() => {
    const isLeft = before.current !== undefined && address === undefined && !isInterrupted()
    before.current = address
    if (isLeft && hasFile) void navigate({ to: '/files', replace: true })
  }, [address, hasFile, navigate])
}
