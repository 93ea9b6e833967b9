import { isEvmAddress } from '@cairn/protocol'
import type { NetworkProfile } from '@cairn/sdk'
import { useState } from 'react'
import { useConfig, useConnection } from 'wagmi'
import { switchChain } from 'wagmi/actions'
import { ArrowLeftRight, LogOut } from '#icons'
import { ExplorerLink } from '../billing/ExplorerLink.tsx'
import { accountPage } from '../billing/explorer.ts'
import { chainDecimals, formatAmount } from '../billing/format-amount.ts'
import { useBalance } from '../billing/use-balance.ts'
import { useEnsName } from '../ens/use-ens.ts'
import { formatDateTime, formatUntil, withUnit } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { getConnectedWallet, useWalletStatus } from '../session/connected-wallet.ts'
import type { Session } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { ReconnectWallet } from '../wallet/ReconnectWallet.tsx'
import { WalletIcon } from '../wallet/WalletIcon.tsx'
import { LeaveButton } from './LeaveButton.tsx'

/** The signed-in account, its wallet, chain and expiry; sign-out, or another account. */
export function AccountSheet({ session, onDone }: { session: Session; onDone: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const status = useWalletStatus()
  const chain = paymentChain(network)
  const family = isEvmAddress(session.address) ? 'evm' : 'solana'
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center gap-3 rounded-lg border border-line p-3">
        <WalletIcon icon={status === 'connected' ? getConnectedWallet(config)?.icon : undefined} />
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-2 text-ink-soft text-sm">
            {messages.wallet.signedInAs}
            <Tag>{messages.wallet.families[family]}</Tag>
          </p>
          <EnsName address={session.address} />
          <p className="break-all font-mono text-sm">{session.address}</p>
        </div>
        <CopyButton text={session.address} label={messages.session.copyAddress} />
        {family === 'evm' && chain !== undefined ? (
          <ExplorerLink page={accountPage(chain.name, session.address)} label={messages.wallet.openAccount} />
        ) : undefined}
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        <dt className="text-ink-soft">{messages.wallet.session}</dt>
        <dd className="text-right font-medium" title={formatDateTime(session.expiresAt)}>
          {messages.wallet.endsAt(formatUntil(session.expiresAt))}
        </dd>
        {family === 'evm' ? <Balance address={session.address} /> : undefined}
      </dl>
      {status === 'disconnected' ? <ReconnectWallet family={family} /> : undefined}
      {family === 'evm' ? <EvmNetwork /> : <p className="text-ink-soft text-sm">{messages.wallet.solanaPays}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {/* The dialog stays open, and shows the wallets. */}
        <LeaveButton icon={ArrowLeftRight} label={messages.wallet.switchAccount} />
        <LeaveButton icon={LogOut} label={messages.session.signOut} onLeave={onDone} />
      </div>
    </div>
  )
}

/** The chain that payments are made on. */
function paymentChain({ chains, chain }: NetworkProfile) {
  return chains?.[0] ?? chain
}

/** The name that the address has on the chain, if any. */
function EnsName({ address }: { address: string }) {
  const name = useEnsName(address)
  return name === undefined ? undefined : <p className="font-medium">{name}</p>
}

/** The account's balance in the coin of the chain that payments are made on. */
function Balance({ address }: { address: string }) {
  const network = useNetwork()
  const chain = paymentChain(network)
  const { data } = useBalance(chain, address)
  if (chain === undefined || data === undefined) return undefined
  return (
    <>
      <dt className="text-ink-soft">{messages.wallet.balance}</dt>
      <dd className="text-right font-medium tabular">{withUnit(formatAmount(data, chainDecimals), chain.symbol)}</dd>
    </>
  )
}

/** The network of payments, with a button if the wallet is on another. */
function EvmNetwork() {
  const config = useConfig()
  const network = useNetwork()
  const { chainId, status } = useConnection()
  const [isSwitching, setSwitching] = useState(false)
  const wanted = paymentChain(network)
  if (wanted === undefined) return undefined
  const change = async () => {
    setSwitching(true)
    try {
      await switchChain(config, { chainId: wanted.chainId })
    } catch (error) {
      toastError(messages.wallet.switchFailed, error)
    } finally {
      setSwitching(false)
    }
  }
  return status === 'connected' && chainId !== wanted.chainId ? (
    <div className="flex flex-col items-start gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
      <p>{messages.wallet.wrongNetwork(wanted.name)}</p>
      <Button size="small" isBusy={isSwitching} onClick={() => void change()}>
        {messages.wallet.switchTo(wanted.name)}
      </Button>
    </div>
  ) : (
    <p className="text-ink-soft text-sm">{messages.wallet.networkOf(wanted.name)}</p>
  )
}
