import { Outlet, useChildMatches } from '@tanstack/react-router'
import { SignInGate } from '../../session/SignInGate.tsx'
import { FilesView } from './FilesView.tsx'

/** The list of files; a single file opens over it. Visitors can open public files without the list. */
export function FilesPage() {
  const hasFile = useChildMatches().length > 0
  return (
    <>
      <SignInGate isQuiet={hasFile}>{() => <FilesView />}</SignInGate>
      <Outlet />
    </>
  )
}
