import { keyShardCount } from '@cairn/protocol'
import { LogOut } from '#icons'
import { LeaveButton } from '../account/LeaveButton.tsx'
import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { ReachNodes, useLackingNodes } from '../session/ReachNodes.tsx'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { useSignInLabel } from '../wallet/use-sign-in-label.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'

/** The signed-in account, its expiry and the key nodes that know it, with sign-out or sign-in. */
export function SessionSection() {
  const signInLabel = useSignInLabel()
  const session = useSession()
  const lacking = useLackingNodes()
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <h2 className="mb-3 font-semibold">{messages.settings.session}</h2>
      {session === undefined ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-ink-soft text-sm">{messages.settings.sessionNone}</p>
          <Button size="small" onClick={openWalletDialog}>
            {signInLabel}
          </Button>
        </div>
      ) : (
        <>
          <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
            <dt className="text-ink-soft">{messages.settings.signedInAs}</dt>
            <dd className="break-all font-mono">{session.address}</dd>
            <dt className="text-ink-soft">{messages.settings.sessionEnds}</dt>
            <dd>{formatDateTime(session.expiresAt)}</dd>
            <dt className="text-ink-soft">{messages.settings.keyNodes}</dt>
            <dd className="flex flex-wrap items-center gap-x-3 gap-y-2">
              {session.keySession === undefined
                ? messages.settings.keyNodesClosed
                : messages.settings.keyNodesOpen(keyShardCount - lacking.length, keyShardCount)}
              <ReachNodes />
            </dd>
          </dl>
          <LeaveButton size="small" className="mt-4" icon={LogOut} label={messages.session.signOut} />
        </>
      )}
    </section>
  )
}
