import { lazy, Suspense, useEffect, useState } from 'react'
import { endOf } from '../session/closing-sessions.ts'
import { useSessionState } from '../session/session-store.ts'
import { useEndClosing } from '../session/use-end-closing.ts'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { useOnline } from '../ui/use-online.ts'
import { useWalletAddress } from '../wallet/connected-wallet.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { formatDateTime, shorten } from '../words/format.ts'
import { words } from '../words/words.ts'

const ExtendSessionDialog = lazy(async () => ({
  default: (await import('../session/ExtendSessionDialog.tsx')).ExtendSessionDialog,
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
      <ClosingNotice />
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

/** Says where a session is still open that was ended, until when, and lets the user try again. */
function ClosingNotice() {
  const { closing, isEnding, end } = useEndClosing()
  if (closing.length === 0) return undefined
  const nodes = new Set(closing.flatMap((one) => one.nodes.flatMap((node) => (node === null ? [] : [node.node]))))
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" isBusy={isEnding} onClick={() => void end()}>
          {words.session.endThere}
        </Button>
      }
    >
      {words.session.stillOpen([...nodes].sort(), formatDateTime(Math.max(...closing.map(endOf))))}
    </Banner>
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
