import type { ChainProfile } from '@cairn/protocol'
import type { Coin, Price } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useConfig, useConnection } from 'wagmi'
import { getConnection, reconnect } from 'wagmi/actions'
import { Wallet } from '#icons'
import { formatBytes, formatDecimal, formatUsd, withUnit } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { isEip1193Provider } from '../wallet/eip1193.ts'
import { formatAmount } from './format-amount.ts'
import { inspectWallet, type WalletStatus } from './inspect-wallet.ts'
import { startPayment } from './payment-store.ts'
import { TestCoins } from './TestCoins.tsx'

/**
 * Everything about a payment before the wallet opens: amount, dollars, network, beneficiary, and each window to come.
 */
export function PayDialog({
  session: { address },
  chain,
  coin,
  price,
  sizeBytes,
  onClose,
  onPaying,
}: {
  session: Session
  chain: ChainProfile
  coin: Coin
  price: Price
  sizeBytes: number
  onClose: () => void
  onPaying?: () => Promise<void>
}) {
  const client = useClient()
  const config = useConfig()
  const { status, chainId } = useConnection()
  // Refetched every minute, because a price in the native coin is valid for ten: the shown price is the paid price.
  const { amount, units, decimals } = price
  const {
    data: outlook,
    error,
    refetch,
  } = useQuery({
    queryKey: ['wallet-outlook', address, chain.name, coin, units.toString()],
    queryFn: () => inspectWallet(config, chain, address, { coin, units }),
    staleTime: 0,
    gcTime: 0,
  })
  // If a coin has several tokens, names the one that the wallet will show.
  const shown = outlook?.token === undefined ? price : { ...price, symbol: outlook.token.symbol }
  const isPoor = outlook !== undefined && outlook.balanceUnits < units
  const isOffline = status !== 'connected'

  const pay = async () => {
    const { connector } = getConnection(config)
    const provider = await connector?.getProvider()
    if (!isEip1193Provider(provider)) return
    onClose()
    try {
      await onPaying?.()
    } catch (error) {
      if (!isAborted(error)) toastError(messages.billing.failed, error)
      return
    }
    const token = outlook?.token?.address
    const agreed = { address, price: shown, coin, sizeBytes }
    await startPayment(client, { provider, address }, { ...agreed, ...(token === undefined ? {} : { token }) })
  }
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={messages.billing.reviewTitle}
      footer={
        <>
          <Button onClick={onClose}>{messages.shell.cancel}</Button>
          {isOffline ? (
            <Button kind="primary" isBusy={status === 'reconnecting'} onClick={() => void reconnect(config)}>
              {messages.billing.connectAgain}
            </Button>
          ) : (
            <Button kind="primary" disabled={outlook === undefined || isPoor} onClick={() => void pay()}>
              <Wallet aria-hidden="true" size={16} />
              {messages.billing.pay}
            </Button>
          )}
        </>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2.5 text-sm">
        <Line label={messages.billing.youGet}>{formatBytes(sizeBytes)}</Line>
        <Line label={messages.billing.youPay}>
          <span className="font-semibold">{withUnit(formatDecimal(amount), shown.symbol)}</span>{' '}
          <span className="text-ink-soft">{messages.billing.about(formatUsd(price.usd))}</span>
        </Line>
        <Line label={messages.billing.onNetwork}>{chain.name}</Line>
        <Line label={messages.billing.from}>
          <code className="font-mono">{address}</code>
        </Line>
        <Line label={messages.billing.spender}>
          <code className="font-mono">{chain.paymentContract}</code>
        </Line>
        {outlook === undefined ? undefined : (
          <Line label={messages.billing.balance}>
            {withUnit(formatAmount(outlook.balanceUnits, decimals), shown.symbol)}
          </Line>
        )}
      </dl>
      <div className="mt-5 rounded-lg bg-sunken px-4 py-3 text-sm">
        {isOffline ? (
          <>
            <p className="font-medium">{messages.billing.walletOffline}</p>
            <p className="text-ink-soft">{messages.billing.walletOfflineHint}</p>
          </>
        ) : error !== null ? (
          <ErrorState error={error} onRetry={() => refetch()} />
        ) : outlook === undefined ? (
          <p className="flex items-center gap-2 text-ink-soft">
            <Spinner />
            {messages.billing.checkingWallet}
          </p>
        ) : isPoor ? (
          <>
            <p role="alert" className="text-warn">
              {messages.billing.tooLittle(shown.symbol)}
            </p>
            <TestCoins address={address} />
          </>
        ) : (
          <>
            <p className="font-medium">{messages.billing.walletAsks}</p>
            <ol className="mt-1 list-decimal pl-5 text-ink-soft">
              {asksOf(outlook, shown, chain, chainId).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ol>
            <p className="mt-2 text-ink-soft">{messages.billing.asksFee(chain.symbol)}</p>
          </>
        )}
      </div>
    </Modal>
  )
}

function asksOf(
  { approval, hasLeftover }: WalletStatus,
  { amount: exact, symbol }: Price,
  chain: ChainProfile,
  chainId: number | undefined,
) {
  const amount = formatDecimal(exact)
  return [
    ...(chainId === chain.chainId ? [] : [messages.billing.asksSwitch(chain.name)]),
    ...(approval === 'batch'
      ? [messages.billing.asksBatch(amount, symbol)]
      : [
          ...(approval === 'separate' && hasLeftover ? [messages.billing.asksReset(symbol)] : []),
          ...(approval === 'separate' ? [messages.billing.asksApprove(amount, symbol)] : []),
          messages.billing.asksPay(amount, symbol),
        ]),
  ]
}

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{label}</dt>
      <dd className="min-w-0 break-all text-right tabular">{children}</dd>
    </>
  )
}
