import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Upload } from '#icons'
import { WalletChip } from '../account/WalletChip.tsx'
import { messages } from '../messages/messages.ts'
import { latePart } from '../parts/lazy-part.tsx'
import { useSession } from '../session/session-store.ts'
import { TransfersButton } from '../transfers/TransfersButton.tsx'
import { useHasTransfers } from '../transfers/transfer-store.ts'
import { Button } from '../ui/Button.tsx'
import { openUploadSheet } from '../upload/upload-sheet-store.ts'
import { Logo } from './Logo.tsx'
import { SearchBox } from './SearchBox.tsx'

const NotificationBell = latePart(async () => (await import('../activity/NotificationBell.tsx')).NotificationBell)

/** Search, upload, transfers, account; the name if there is no rail, and only the name and transfers if it is plain. */
export function TopBar({ isFramed, isPlain }: { isFramed: boolean; isPlain: boolean }) {
  const isSignedIn = useSession() !== undefined && !isPlain
  // Those that the end of a session paused, and downloads of visitors.
  const hasTransfers = useHasTransfers()
  return (
    <header className="print:hidden! sticky top-0 z-20 flex h-16 items-center gap-2 border-line border-b bg-surface px-3 sm:gap-3 sm:px-6">
      <Link
        to="/"
        // Visitors of a link leave the page with a full load, so that the browser asks before it discards what they send or read.
        reloadDocument={isPlain}
        aria-label={messages.shell.product}
        className={`flex h-10 shrink-0 items-center justify-center gap-3 px-1.5 pointer-coarse:h-11 pointer-coarse:min-w-11 font-semibold text-lg tracking-tight ${isFramed ? 'md:hidden' : ''}`}
      >
        <Logo size={26} />
        {isFramed ? undefined : messages.shell.product}
      </Link>
      {isSignedIn ? <SearchBox /> : <div className="flex-1" />}
      <div className="ml-auto flex items-center gap-1 sm:gap-2">
        {isSignedIn ? (
          <>
            <Button
              kind="primary"
              onClick={() => openUploadSheet()}
              aria-keyshortcuts="u"
              className="max-sm:min-w-11 max-sm:px-3"
            >
              <Upload aria-hidden="true" size={16} />
              <span className="max-sm:sr-only">{messages.shell.upload}</span>
            </Button>
            <TransfersButton />
            {/* Its place is kept, so nothing moves when it comes. */}
            <span className="inline-grid size-10 pointer-coarse:size-11">
              <Suspense>
                <NotificationBell />
              </Suspense>
            </span>
          </>
        ) : !hasTransfers ? undefined : (
          <TransfersButton />
        )}
        {isPlain ? undefined : <WalletChip />}
      </div>
    </header>
  )
}
