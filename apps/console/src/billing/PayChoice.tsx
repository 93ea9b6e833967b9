import { type ChainProfile, minBilledBytes, withoutTrailing } from '@cairn/protocol'
import { CairnError, type Coin, isCoin } from '@cairn/sdk'
import { type ReactNode, useState } from 'react'
import { formatDecimal, formatUsd, withUnit } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { PartError } from '../ui/states/PartError.tsx'
import { PayDialog } from './PayDialog.tsx'
import { usePrice } from './use-price.ts'
import { WrongNetwork } from './WrongNetwork.tsx'

/**
 * Chooses network and coin for a purchase and shows the price; then opens the dialog that announces each window of the
 * wallet.
 * @param onPaying called before the wallet opens; throwing cancels the payment
 */
export function PayChoice({
  session,
  chains,
  first,
  sizeBytes,
  isDisabled = false,
  onPaying,
  children,
}: {
  session: Session
  chains: readonly ChainProfile[]
  first: ChainProfile
  sizeBytes: number | undefined
  isDisabled?: boolean
  onPaying?: () => Promise<void>
  /** Content before it: the size. */
  children?: ReactNode
}) {
  const [chainName, setChainName] = useState(first.name)
  const [wantedCoin, setCoin] = useState<Coin>('native')
  const [isReviewing, setReviewing] = useState(false)
  const chain = chains.find(({ name }) => name === chainName) ?? first
  const coins: Coin[] = ['native', ...Object.keys(chain.tokens).filter(isCoin)]
  const coin = coins.includes(wantedCoin) ? wantedCoin : 'native'
  const { data: price, error, refetch, isPlaceholderData } = usePrice(sizeBytes, chain.name, coin)
  const symbolOf = (one: Coin) => (one === 'native' ? chain.symbol : one.toUpperCase())
  const isShown = price !== undefined && sizeBytes !== undefined && error === null

  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (isShown && !isPlaceholderData && !isDisabled) setReviewing(true)
      }}
    >
      {children}
      {chains.length > 1 ? (
        <Segments
          label={messages.billing.network}
          isLabelShown
          value={chain.name}
          options={chains.map(({ name }) => ({ value: name, label: name }))}
          onChange={setChainName}
        />
      ) : undefined}
      <Segments
        label={messages.billing.coin}
        isLabelShown
        value={coin}
        options={coins.map((one) => ({ value: one, label: symbolOf(one) }))}
        onChange={setCoin}
      />
      <WrongNetwork chain={chain} />
      <div aria-live="polite" className="rounded-lg bg-sunken px-4 py-3">
        <p className="text-ink-soft text-sm">{messages.billing.priceLabel}</p>
        {error !== null ? (
          CairnError.is(error, 'PRICE_UNKNOWN') ? (
            <p className="text-sm text-warn">{messages.billing.stalePrice}</p>
          ) : (
            <PartError error={error} onRetry={() => refetch()} />
          )
        ) : isShown ? (
          <p className={isPlaceholderData ? 'opacity-60' : ''}>
            <span className="font-semibold text-xl tabular">{withUnit(shortAmount(price.amount), price.symbol)}</span>{' '}
            <span className="text-ink-soft text-sm">{messages.billing.about(formatUsd(price.usd))}</span>
          </p>
        ) : (
          <p className="text-ink-soft">{sizeBytes === undefined ? '–' : messages.billing.priceWaiting}</p>
        )}
        {sizeBytes !== undefined && sizeBytes < minBilledBytes ? (
          <p className="text-ink-soft text-sm">{messages.billing.minimum}</p>
        ) : undefined}
      </div>
      <Button kind="primary" type="submit" disabled={!isShown || isPlaceholderData || isDisabled}>
        {messages.billing.review}
      </Button>
      {isReviewing && isShown ? (
        <PayDialog
          session={session}
          chain={chain}
          coin={coin}
          price={price}
          sizeBytes={sizeBytes}
          onClose={() => setReviewing(false)}
          {...(onPaying === undefined ? {} : { onPaying })}
        />
      ) : undefined}
    </form>
  )
}

/** Shows amounts to eight decimals; the exact one is shown before paying. */
function shortAmount(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const shown = whole === '0' ? fraction.slice(0, 8) : fraction.slice(0, 4)
  return formatDecimal(/[1-9]/.test(shown) ? `${whole}.${withoutTrailing(shown, '0')}` : whole === '0' ? amount : whole)
}
