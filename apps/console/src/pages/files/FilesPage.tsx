import { Outlet, useChildMatches } from '@tanstack/react-router'
import { SignInGate } from '../../session/SignInGate.tsx'
import { FilesView } from './FilesView.tsx'

/** The list of files; a single file opens over it. Public ones can be opened by who is not signed in, without a list. */
export function FilesPage() {
  const hasFile = useChildMatches().length > 0
  return (
    <>
      <SignInGate isQuiet={hasFile}>{() => <FilesView />}</SignInGate>
      <Outlet />
    </>
  )
}
