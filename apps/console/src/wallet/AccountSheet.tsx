import { isEvmAddress } from '@cairn/protocol'
import { useState } from 'react'
import { useConfig, useConnection } from 'wagmi'
import { switchChain } from 'wagmi/actions'
import { ArrowLeftRight, LogOut } from '#icons'
import { useNetwork } from '../network/NetworkProvider.tsx'
import type { Session } from '../session/session-store.ts'
import { signOut } from '../session/sign-out.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { toastError } from '../ui/toast-store.ts'
import { formatAgo, formatDateTime } from '../words/format.ts'
import { words } from '../words/words.ts'
import { disconnectWallets, getConnectedWallet, useWalletStatus } from './connected-wallet.ts'
import { ReconnectWallet } from './ReconnectWallet.tsx'
import { WalletIcon } from './WalletIcon.tsx'

/** Who is signed in, with which wallet on which chain, until when; and the way out, or to another account. */
export function AccountSheet({ session, onDone }: { session: Session; onDone: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const status = useWalletStatus()
  const family = isEvmAddress(session.address) ? 'evm' : 'solana'
  const leave = async () => {
    await signOut(network, 'signed-out')
    await disconnectWallets(config)
  }
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center gap-3 rounded-lg border border-line p-3">
        <WalletIcon icon={status === 'connected' ? getConnectedWallet(config)?.icon : undefined} />
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-2 text-ink-soft text-sm">
            {words.wallet.signedInAs}
            <Tag>{words.wallet.families[family]}</Tag>
          </p>
          <p className="break-all font-mono text-sm">{session.address}</p>
        </div>
        <CopyButton text={session.address} label={words.session.copyAddress} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        <dt className="text-ink-soft">{words.wallet.session}</dt>
        <dd className="text-right font-medium" title={formatDateTime(session.expiresAt)}>
          {words.wallet.endsAt(formatAgo(session.expiresAt))}
        </dd>
      </dl>
      {status === 'disconnected' ? <ReconnectWallet family={family} /> : undefined}
      {family === 'evm' ? <EvmNetwork /> : <p className="text-ink-soft text-sm">{words.wallet.solanaPays}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {/* The dialog stays, and shows the wallets. */}
        <Button onClick={() => void leave()}>
          <ArrowLeftRight aria-hidden="true" size={16} />
          {words.wallet.switchAccount}
        </Button>
        <Button
          onClick={() => {
            onDone()
            void leave()
          }}
        >
          <LogOut aria-hidden="true" size={16} />
          {words.session.signOut}
        </Button>
      </div>
    </div>
  )
}

/** The network that payments are made on, and one button where the wallet is on another. */
function EvmNetwork() {
  const config = useConfig()
  const network = useNetwork()
  const { chainId, status } = useConnection()
  const [isSwitching, setSwitching] = useState(false)
  const wanted = network.chains?.[0] ?? network.chain
  if (wanted === undefined) return undefined
  const change = async () => {
    setSwitching(true)
    try {
      await switchChain(config, { chainId: wanted.chainId })
    } catch (error) {
      toastError(words.wallet.switchFailed, error)
    } finally {
      setSwitching(false)
    }
  }
  return status === 'connected' && chainId !== wanted.chainId ? (
    <div className="flex flex-col items-start gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
      <p>{words.wallet.wrongNetwork(wanted.name)}</p>
      <Button size="small" isBusy={isSwitching} onClick={() => void change()}>
        {words.wallet.switchTo(wanted.name)}
      </Button>
    </div>
  ) : (
    <p className="text-ink-soft text-sm">{words.wallet.networkOf(wanted.name)}</p>
  )
}
