import { useConfig } from 'wagmi'
import { LogOut } from '#icons'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { useSession } from '../../session/session-store.ts'
import { signOut } from '../../session/sign-out.ts'
import { Button } from '../../ui/Button.tsx'
import { disconnectWallets } from '../../wallet/connected-wallet.ts'
import { openWalletDialog } from '../../wallet/wallet-dialog-store.ts'
import { formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** Who is signed in and until when; the way out, or in. */
export function SessionSection() {
  const session = useSession()
  const network = useNetwork()
  const config = useConfig()
  const leave = async () => {
    await signOut(network, 'signed-out')
    await disconnectWallets(config)
  }
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <h2 className="mb-3 font-semibold">{words.settings.session}</h2>
      {session === undefined ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-ink-soft text-sm">{words.settings.sessionNone}</p>
          <Button size="small" onClick={openWalletDialog}>
            {words.session.connect}
          </Button>
        </div>
      ) : (
        <>
          <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
            <dt className="text-ink-soft">{words.settings.signedInAs}</dt>
            <dd className="break-all font-mono">{session.address}</dd>
            <dt className="text-ink-soft">{words.settings.sessionEnds}</dt>
            <dd>{formatDateTime(session.expiresAt)}</dd>
            <dt className="text-ink-soft">{words.settings.keyNodes}</dt>
            <dd>{session.keySession === undefined ? words.settings.keyNodesClosed : words.settings.keyNodesOpen}</dd>
          </dl>
          <Button size="small" className="mt-4" onClick={() => void leave()}>
            <LogOut aria-hidden="true" size={15} />
            {words.session.signOut}
          </Button>
        </>
      )}
    </section>
  )
}
