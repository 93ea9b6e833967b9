import { Outlet, useChildMatches } from '@tanstack/react-router'
import { messages } from '../messages/messages.ts'
import { SignInGate } from '../session/SignInGate.tsx'
import { FilesView } from './FilesView.tsx'

/** The list of files; a single file opens over it. Visitors can open public files without the list. */
export function FilesPage() {
  const hasFile = useChildMatches().length > 0
  return (
    <>
      <SignInGate isQuiet={hasFile} title={messages.pages.files}>
        {() => <FilesView />}
      </SignInGate>
      <Outlet />
    </>
  )
}
