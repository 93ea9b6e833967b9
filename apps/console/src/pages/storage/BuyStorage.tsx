import { type ChainProfile, GIB, isEvmAddress, MIB } from '@cairn/protocol'
import { CairnError, type Coin, isCoin } from '@cairn/sdk'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { resumePayment, useRunningPayment } from '../../payments/payment-store.ts'
import { readSize, type SizeUnit } from '../../payments/read-size.ts'
import { usePrice } from '../../payments/use-price.ts'
import type { Session } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { formatBytes, formatUsd } from '../../words/format.ts'
import { priceUsd } from '../../words/price-usd.ts'
import { words } from '../../words/words.ts'
import { CannotPay } from './CannotPay.tsx'
import { PayDialog } from './PayDialog.tsx'
import { PaymentProgress } from './PaymentProgress.tsx'
import { SizeField } from './SizeField.tsx'
import { WrongNetwork } from './WrongNetwork.tsx'

const presets = [GIB, 10 * GIB, 100 * GIB, 1024 * GIB]

/** How much more, on which network, in which coin, for how much; and then the wallet. */
export function BuyStorage({ session }: { session: Session }) {
  const network = useNetwork()
  const client = useClient()
  const payment = useRunningPayment()
  const chains = (network.chains ?? (network.chain === undefined ? [] : [network.chain])).filter(
    ({ paymentContract }) => paymentContract !== undefined,
  )
  useEffect(() => {
    void resumePayment(client, session.address)
  }, [client, session.address])
  const [first] = chains
  return (
    <section aria-labelledby="buy-title" className="rounded-lg border border-line bg-surface p-5 shadow-card">
      {payment !== undefined ? (
        <PaymentProgress payment={payment} />
      ) : !isEvmAddress(session.address) ? (
        <CannotPay />
      ) : first === undefined ? (
        <>
          <h2 className="font-semibold">{words.storage.noChain}</h2>
          <p className="mt-1 text-ink-soft text-sm">{words.storage.noChainHint}</p>
        </>
      ) : (
        <BuyForm session={session} chains={chains} first={first} />
      )}
    </section>
  )
}

function BuyForm({
  session,
  chains,
  first,
}: {
  session: Session
  chains: readonly ChainProfile[]
  first: ChainProfile
}) {
  // What an upload misses, in MiB and rounded up.
  const { add } = useSearch({ from: '/storage' })
  const [choice, setChoice] = useState(add === undefined ? String(presets[1]) : 'own')
  const [text, setText] = useState(add === undefined ? '' : String(Math.ceil(add / MIB)))
  const [unit, setUnit] = useState<SizeUnit>(add === undefined ? 'GiB' : 'MiB')
  const [chainName, setChainName] = useState(first.name)
  const [wantedCoin, setCoin] = useState<Coin>('native')
  const [isReviewing, setReviewing] = useState(false)
  const chain = chains.find(({ name }) => name === chainName) ?? first
  const coins: Coin[] = ['native', ...Object.keys(chain.tokens).filter(isCoin)]
  const coin = coins.includes(wantedCoin) ? wantedCoin : 'native'
  const isOwn = choice === 'own'
  const sizeBytes = isOwn ? readSize(text, unit) : Number(choice)
  const { data: price, error, refetch, isPlaceholderData } = usePrice(sizeBytes, chain.name, coin)
  const symbolOf = (one: Coin) => (one === 'native' ? chain.symbol : one.toUpperCase())
  const isShown = price !== undefined && sizeBytes !== undefined && error === null

  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (isShown && !isPlaceholderData) setReviewing(true)
      }}
    >
      <h2 id="buy-title" className="font-semibold">
        {words.storage.buyTitle}
      </h2>
      <div className="flex flex-col gap-3">
        <Segments
          label={words.storage.size}
          isLabelShown
          value={choice}
          options={[
            ...presets.map((bytes) => ({ value: String(bytes), label: formatBytes(bytes) })),
            { value: 'own', label: words.storage.ownSize },
          ]}
          onChange={setChoice}
        />
        {isOwn ? (
          <SizeField
            text={text}
            unit={unit}
            error={text !== '' && sizeBytes === undefined ? words.storage.sizeWrong : undefined}
            onText={setText}
            onUnit={setUnit}
          />
        ) : undefined}
      </div>
      {chains.length > 1 ? (
        <Segments
          label={words.storage.network}
          isLabelShown
          value={chain.name}
          options={chains.map(({ name }) => ({ value: name, label: name }))}
          onChange={setChainName}
        />
      ) : undefined}
      <Segments
        label={words.storage.coin}
        isLabelShown
        value={coin}
        options={coins.map((one) => ({ value: one, label: symbolOf(one) }))}
        onChange={setCoin}
      />
      <WrongNetwork chain={chain} />
      <div aria-live="polite" className="rounded-lg bg-sunken px-4 py-3">
        <p className="text-ink-soft text-sm">{words.storage.priceLabel}</p>
        {error !== null ? (
          CairnError.is(error, 'PRICE_UNKNOWN') ? (
            <p className="text-sm text-warn">{words.storage.stalePrice}</p>
          ) : (
            <ErrorState error={error} onRetry={() => refetch()} />
          )
        ) : isShown ? (
          <p className={isPlaceholderData ? 'opacity-60' : ''}>
            <span className="font-semibold text-xl tabular">
              {shortAmount(price.amount)} {price.symbol}
            </span>{' '}
            <span className="text-ink-soft text-sm">{words.storage.about(formatUsd(priceUsd(sizeBytes)))}</span>
          </p>
        ) : (
          <p className="text-ink-soft">{sizeBytes === undefined ? '–' : words.storage.priceWaiting}</p>
        )}
        {sizeBytes !== undefined && sizeBytes < GIB / 1024 ? (
          <p className="text-ink-soft text-sm">{words.storage.minimum}</p>
        ) : undefined}
      </div>
      <Button kind="primary" type="submit" disabled={!isShown || isPlaceholderData}>
        {words.storage.review}
      </Button>
      {isReviewing && isShown ? (
        <PayDialog
          session={session}
          chain={chain}
          coin={coin}
          price={price}
          sizeBytes={sizeBytes}
          onClose={() => setReviewing(false)}
        />
      ) : undefined}
    </form>
  )
}

/** Amounts to eight digits after the point; the whole one is shown before paying. */
function shortAmount(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const shown = whole === '0' ? fraction.slice(0, 8) : fraction.slice(0, 4)
  return /[1-9]/.test(shown) ? `${whole}.${shown.replace(/0+$/, '')}` : whole === '0' ? amount : whole
}
