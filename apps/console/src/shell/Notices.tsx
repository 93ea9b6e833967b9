import { lazy, Suspense, useEffect, useState } from 'react'
import { useSessionState } from '../session/session-store.ts'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { useOnline } from '../ui/use-online.ts'
import { useWalletAddress } from '../wallet/connected-wallet.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { shorten } from '../words/format.ts'
import { words } from '../words/words.ts'

const ExtendSessionDialog = lazy(async () => ({
  default: (await import('../session/ExtendSessionDialog.tsx')).ExtendSessionDialog,
}))

const ClosingNotice = lazy(async () => ({
  default: (await import('../session/ClosingNotice.tsx')).ClosingNotice,
}))

/** A session that ends within this time says so. */
const soonMs = 10 * 60_000

/** What concerns every page: no network, another account, a session that is over, or about to be, or not yet everywhere. */
export function Notices() {
  const isOnline = useOnline()
  const { session, endReason } = useSessionState()
  const address = useWalletAddress()
  const endsSoon = useEndsSoon(session?.expiresAt)
  const [isExtending, setExtending] = useState(false)
  const signIn = (
    <Button size="small" onClick={openWalletDialog}>
      {words.session.signIn}
    </Button>
  )
  return (
    <>
      {isOnline ? undefined : <Banner tone="warn">{words.shell.offline}</Banner>}
      {endsSoon && session !== undefined ? (
        <Banner
          action={
            <Button size="small" onClick={() => setExtending(true)}>
              {words.session.extend}
            </Button>
          }
        >
          {words.session.endsSoon}
        </Banner>
      ) : undefined}
      {isExtending && session !== undefined ? (
        <Suspense>
          <ExtendSessionDialog session={session} onClose={() => setExtending(false)} />
        </Suspense>
      ) : undefined}
      <Suspense>
        <ClosingNotice />
      </Suspense>
      {session === undefined && endReason === 'account-changed' && address !== undefined ? (
        <Banner action={signIn}>{words.session.otherAccount(shorten(address))}</Banner>
      ) : undefined}
      {session === undefined && endReason === 'wallet-left' ? <Banner>{words.session.sessionEnded}</Banner> : undefined}
      {session === undefined && endReason === 'expired' ? (
        <Banner action={signIn}>{words.session.sessionOver}</Banner>
      ) : undefined}
    </>
  )
}

function useEndsSoon(expiresAt: number | undefined): boolean {
  const [isSoon, setSoon] = useState(false)
  useEffect(() => {
    setSoon(false)
    if (expiresAt === undefined) return
    const waitMs = expiresAt - soonMs - Date.now()
    // Timers hold 24 days at most; a page that is open longer is told when it is opened again.
    if (waitMs > 2 ** 31 - 1) return
    const timer = setTimeout(() => setSoon(true), Math.max(0, waitMs))
    return () => clearTimeout(timer)
  }, [expiresAt])
  return isSoon
}
