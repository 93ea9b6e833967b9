import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { useConfig, useConnection } from 'wagmi'
import { disconnect, switchChain } from 'wagmi/actions'
import { useNetwork } from '../network/NetworkProvider.tsx'
import type { Session } from '../session/session-store.ts'
import { signOut } from '../session/sign-out.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { toastError } from '../ui/toast-store.ts'
import { formatAgo, formatDateTime } from '../words/format.ts'
import { words } from '../words/words.ts'
import { WalletIcon } from './WalletList.tsx'

/** Who is signed in, with which wallet on which chain, until when; and the way out. */
export function AccountSheet({ session, onDone }: { session: Session; onDone: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const { connector, chainId, status } = useConnection()
  const [isSwitching, setSwitching] = useState(false)
  const wanted = network.chains?.[0] ?? network.chain
  const isElsewhere = status === 'connected' && wanted !== undefined && chainId !== wanted.chainId

  const switchNetwork = async (chainId: number) => {
    setSwitching(true)
    try {
      await switchChain(config, { chainId })
    } catch (error) {
      toastError(words.session.switchFailed, error)
    } finally {
      setSwitching(false)
    }
  }
  const leave = async () => {
    onDone()
    await signOut(network, 'signed-out')
    await disconnect(config)
  }

  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center gap-3 rounded-lg border border-line p-3">
        <WalletIcon icon={connector?.icon} />
        <div className="min-w-0 flex-1">
          <p className="text-ink-soft text-sm">{words.session.signedInAs}</p>
          <p className="font-mono text-sm">{session.address}</p>
        </div>
        <CopyButton text={session.address} label={words.session.copyAddress} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        {wanted === undefined ? undefined : (
          <>
            <dt className="text-ink-soft">{words.session.network}</dt>
            <dd className="text-right font-medium">{wanted.name}</dd>
          </>
        )}
        <dt className="text-ink-soft">{words.session.session}</dt>
        <dd className="text-right font-medium" title={formatDateTime(session.expiresAt)}>
          {words.session.endsAt(formatAgo(session.expiresAt))}
        </dd>
      </dl>
      {status === 'connected' || status === 'reconnecting' ? undefined : (
        <p className="text-ink-soft text-sm">{words.session.walletLocked}</p>
      )}
      {isElsewhere ? (
        <div className="flex flex-col items-start gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
          <p>{words.session.wrongNetwork(wanted.name)}</p>
          <Button size="small" isBusy={isSwitching} onClick={() => void switchNetwork(wanted.chainId)}>
            {words.session.switchTo(wanted.name)}
          </Button>
        </div>
      ) : undefined}
      <div className="flex justify-end">
        <Button onClick={() => void leave()}>
          <LogOut aria-hidden="true" size={16} />
          {words.session.signOut}
        </Button>
      </div>
    </div>
  )
}
