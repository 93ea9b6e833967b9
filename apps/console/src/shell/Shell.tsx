import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { KeySessionDialog } from '../session/KeySessionDialog.tsx'
import { useSession } from '../session/session-store.ts'
import { TransfersPanel } from '../transfers/TransfersPanel.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import { DropTarget } from '../upload/DropTarget.tsx'
import { useUploadSheet } from '../upload/upload-sheet-store.ts'
import { WalletDialog } from '../wallet/WalletDialog.tsx'
import { WalletWatch } from '../wallet/WalletWatch.tsx'
import { words } from '../words/words.ts'
import { BottomBar } from './BottomBar.tsx'
import { Notices } from './Notices.tsx'
import { Rail } from './Rail.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { TopBar } from './TopBar.tsx'

const UploadSheet = lazy(async () => ({ default: (await import('../upload/UploadSheet.tsx')).UploadSheet }))

/** The frame around every page. Visitors who are not signed in see the first page without the rail. */
export function Shell() {
  const isSignedIn = useSession() !== undefined
  const { pathname } = useLocation()
  const { isOpen } = useUploadSheet()
  const isFramed = isSignedIn || pathname !== '/'
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="fixed top-2 left-2 z-80 -translate-y-20 rounded-md bg-accent px-4 py-2 font-medium text-on-accent text-sm focus:translate-y-0"
      >
        {words.shell.skip}
      </a>
      {isFramed ? <Rail /> : undefined}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar />
        <Notices />
        <main
          id="content"
          tabIndex={-1}
          className={`flex min-w-0 flex-1 flex-col px-4 pt-5 outline-none sm:px-6 sm:pt-6 ${isFramed ? 'pb-24 md:pb-8' : 'pb-8'}`}
        >
          <Outlet />
        </main>
      </div>
      {isFramed ? <BottomBar /> : undefined}
      <TransfersPanel />
      <Toasts />
      <Shortcuts />
      <DropTarget />
      <WalletDialog />
      <WalletWatch />
      <KeySessionDialog />
      {isOpen && isSignedIn ? (
        <Suspense>
          <UploadSheet />
        </Suspense>
      ) : undefined}
    </div>
  )
}
