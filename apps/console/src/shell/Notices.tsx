import { Suspense, useEffect, useState } from 'react'
import { useOnline } from '../browser/use-online.ts'
import { messages } from '../messages/messages.ts'
import { latePart, lazyPart } from '../parts/lazy-part.tsx'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { Banner } from '../ui/states/Banner.tsx'

const ExtendSessionDialog = lazyPart(
  async () => (await import('../session/ExtendSessionDialog.tsx')).ExtendSessionDialog,
  'toast',
)

const OutageNotice = latePart(async () => (await import('./OutageNotice.tsx')).OutageNotice)

const ClosingNotice = latePart(async () => (await import('../session/ClosingNotice.tsx')).ClosingNotice)

const EndNotice = latePart(async () => (await import('../session/EndNotice.tsx')).EndNotice)

const LackingNodesNotice = latePart(async () => (await import('../session/LackingNodesNotice.tsx')).LackingNodesNotice)

/** Time before expiry in ms at which a session warns. */
const soonMs = 10 * 60_000

/**
 * Notices of every page: the browser is offline, the wallet shows another account, or the session has expired, is about to
 * expire, is not closed everywhere, or is unknown to key nodes.
 */
export function Notices() {
  const isOnline = useOnline()
  const session = useSession()
  const endsSoon = useEndsSoon(session?.expiresAt)
  const [isExtending, setExtending] = useState(false)
  return (
    <>
      {isOnline ? undefined : <Banner tone="warn">{messages.shell.offline}</Banner>}
      <Suspense>
        <OutageNotice />
      </Suspense>
      {endsSoon && session !== undefined ? (
        <Banner
          action={
            <Button size="small" onClick={() => setExtending(true)}>
              {messages.session.extend}
            </Button>
          }
        >
          {messages.session.endsSoon}
        </Banner>
      ) : undefined}
      {isExtending && session !== undefined ? (
        <Suspense>
          <ExtendSessionDialog session={session} onClose={() => setExtending(false)} />
        </Suspense>
      ) : undefined}
      <Suspense>
        <ClosingNotice />
        {session?.keySession === undefined ? undefined : <LackingNodesNotice />}
        {session === undefined ? <EndNotice /> : undefined}
      </Suspense>
    </>
  )
}

function useEndsSoon(expiresAt: number | undefined): boolean {
  const [isSoon, setSoon] = useState(false)
  useEffect(() => {
    setSoon(false)
    if (expiresAt === undefined) return
    const waitMs = expiresAt - soonMs - Date.now()
    // Timers are limited to 24 days. The notice of a longer wait appears after a reload.
    if (waitMs > 2 ** 31 - 1) return
    const timer = setTimeout(() => setSoon(true), Math.max(0, waitMs))
    return () => clearTimeout(timer)
  }, [expiresAt])
  return isSoon
}
