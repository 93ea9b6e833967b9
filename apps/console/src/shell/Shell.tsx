import { Outlet, useLocation } from '@tanstack/react-router'
import { type MouseEvent, Suspense, useEffect, useRef } from 'react'
import { WalletWatch } from '../account/WalletWatch.tsx'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { latePart, lazyPart } from '../parts/lazy-part.tsx'
import { loadCode } from '../parts/load-code.ts'
import { useWalletAddress } from '../session/connected-wallet.ts'
import { answerKeySession, getKeySessionRequest, useKeySessionRequest } from '../session/key-session-request.ts'
import { useSession } from '../session/session-store.ts'
import { showTransfers, useTransfersShown } from '../transfers/panel-store.ts'
import { Toasts } from '../ui/toasts/Toasts.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { changeUploadSheet, useUploadSheet } from '../upload/upload-sheet-store.ts'
import { HasWallet } from '../wallet/use-sign-in-label.ts'
import { setWalletDialog, useWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { BottomBar } from './BottomBar.tsx'
import { Notices } from './Notices.tsx'
import { Rail } from './Rail.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { TopBar } from './TopBar.tsx'
import { UncopiedText } from './UncopiedText.tsx'
import { useKeptFocus } from './use-kept-focus.ts'

// Overlays load on demand, so that the page itself loads sooner.
const loadUploadSheet = async () => (await import('../upload/UploadSheet.tsx')).UploadSheet
const loadWalletDialog = async () => (await import('../account/WalletDialog.tsx')).WalletDialog
const loadKeyDialog = async () => (await import('../session/KeySessionDialog.tsx')).KeySessionDialog
const loadTransfers = async () => (await import('../transfers/TransfersPanel.tsx')).TransfersPanel
const UploadSheet = lazyPart(loadUploadSheet, 'toast')
const WalletDialog = lazyPart(loadWalletDialog, 'toast')
const KeySessionDialog = lazyPart(loadKeyDialog, 'toast')
const TransfersPanel = lazyPart(loadTransfers, 'toast')
// Required for each page, but not for rendering.
const TransfersAnnouncer = latePart(
  async () => (await import('../transfers/TransfersAnnouncer.tsx')).TransfersAnnouncer,
)
const DropTarget = latePart(async () => (await import('../upload/DropTarget.tsx')).DropTarget)
const closeWallet = () => setWalletDialog(false)
const declineKeySession = () => void answerKeySession(getKeySessionRequest(), undefined)
const hideTransfers = () => showTransfers(false)
const closeUpload = () => changeUploadSheet({ isOpen: false })
/** Overlays are prefetched after this delay in ms, so that they open immediately. */
const fetchAfterMs = 1_000

/**
 * The frame of every page. Visitors see the first page without the rail, and the page of a link with only the name of the
 * product.
 */
export function Shell() {
  const network = useNetwork()
  const address = useSession()?.address
  const isSignedIn = address !== undefined
  const { pathname } = useLocation()
  const { isOpen } = useUploadSheet()
  const isWalletOpen = useWalletDialog()
  const needsKeys = useKeySessionRequest()
  const areTransfersShown = useTransfersShown()
  useEffect(() => {
    const timer = setTimeout(() => {
      // Firefox repeats a failed import until the page is reloaded.
      if (!navigator.onLine) return
      const registerTarget = async () => (await import('./install-app.ts')).registerShareTarget()
      const early: (() => Promise<unknown>)[] = [loadWalletDialog]
      if (isSignedIn) early.push(registerTarget, loadUploadSheet, loadTransfers)
      // The component that needs a part reports its failure.
      for (const load of early) load().catch(() => undefined)
    }, fetchAfterMs)
    return () => clearTimeout(timer)
  }, [isSignedIn])
  useEffect(() => {
    if (address === undefined) return
    loadCode(import('./restore-work.ts'))
      .then(({ restoreWork }) => restoreWork(network))
      .catch((error: unknown) => toastError(messages.transfers.notRestored, error))
  }, [address, network])
  useFocusOnArrival(pathname.split('/')[1] ?? '')
  useKeptFocus()
  // Visitors of a link need nothing else.
  const isPlain = pathname.startsWith('/link/') || pathname === '/upload-link'
  const isFramed = !isPlain && (isSignedIn || pathname !== '/')
  return (
    <HasWallet value={useWalletAddress() !== undefined}>
      <div className="flex min-h-dvh">
        {/** biome-ignore lint/a11y/useValidAnchor: it leads to a place of the page, without its fragment. */}
        <a
          href="#content"
          onClick={skipToContent}
          className="fixed top-2 left-2 z-80 -translate-y-20 rounded-md bg-accent px-4 py-2 font-medium text-on-accent text-sm focus:translate-y-0"
        >
          {messages.shell.skip}
        </a>
        {isFramed ? <Rail /> : undefined}
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar isFramed={isFramed} isPlain={isPlain} />
          <Notices />
          <main
            id="content"
            tabIndex={-1}
            className={`flex min-w-0 flex-1 flex-col px-4 pt-5 outline-none sm:px-6 sm:pt-6 ${areTransfersShown ? 'pb-[calc(var(--transfers-height,0px)+6rem)]' : isFramed ? 'pb-24 md:pb-8' : 'pb-8'}`}
          >
            <Outlet />
          </main>
        </div>
        {isFramed ? <BottomBar /> : undefined}
        <Toasts />
        <Shortcuts />
        <WalletWatch />
        <Suspense>
          {isPlain ? undefined : <DropTarget />}
          <TransfersAnnouncer />
        </Suspense>
        <Suspense>
          {isWalletOpen ? <WalletDialog onClose={closeWallet} /> : undefined}
          {needsKeys ? <KeySessionDialog onClose={declineKeySession} /> : undefined}
          {areTransfersShown ? <TransfersPanel onClose={hideTransfers} /> : undefined}
          {isOpen && isSignedIn ? <UploadSheet onClose={closeUpload} /> : undefined}
        </Suspense>
        <UncopiedText />
      </div>
    </HasWallet>
  )
}

/** Moves the focus without changing the address, because the fragment of a link is its key. */
function skipToContent(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

/** Navigation moves the focus to the content, unless the user is typing. */
function useFocusOnArrival(place: string): void {
  const before = useRef(place)
  useEffect(() => {
    if (before.current === place) return
    before.current = place
    if (document.activeElement?.matches('input,textarea,select') === true) return
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [place])
}
