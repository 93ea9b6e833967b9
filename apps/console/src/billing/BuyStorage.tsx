import { type ChainProfile, GIB, MIB } from '@cairn/protocol'
import { useSearch } from '@tanstack/react-router'
import { Activity, useState } from 'react'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import type { Session } from '../session/session-store.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import { CannotPay, useCannotPay } from './CannotPay.tsx'
import { PayChoice } from './PayChoice.tsx'
import { PaymentProgress } from './PaymentProgress.tsx'
import { payableChains } from './payable-chains.ts'
import { useRunningPayment } from './payment-store.ts'
import { readSize, type SizeUnit } from './read-size.ts'
import { SizeField } from './SizeField.tsx'
import { TestCoins } from './TestCoins.tsx'
import { useResumedPayment } from './use-resumed-payment.ts'

const presets = [GIB, 10 * GIB, 100 * GIB, 1024 * GIB]

/** Buys storage: size, network, coin, price; then the wallet. */
export function BuyStorage({ session }: { session: Session }) {
  const network = useNetwork()
  const payment = useRunningPayment()
  const chains = payableChains(network)
  const cannotPay = useCannotPay(session)
  useResumedPayment(session.address)
  const [first] = chains
  return (
    <section
      aria-labelledby={payment === undefined ? 'buy-title' : 'payment-title'}
      className="rounded-lg border border-line bg-surface p-5 shadow-card"
    >
      {payment === undefined ? undefined : <PaymentProgress payment={payment} />}
      {/* What was chosen stays for another try. */}
      <Activity mode={payment === undefined ? 'visible' : 'hidden'}>
        {cannotPay !== undefined ? (
          <CannotPay reason={cannotPay} titleId="buy-title" />
        ) : first === undefined ? (
          <>
            <h2 className="font-semibold">{messages.billing.noChain}</h2>
            <p className="mt-1 text-ink-soft text-sm">{messages.billing.noChainHint}</p>
          </>
        ) : (
          <>
            <BuyForm session={session} chains={chains} first={first} />
            <TestCoins address={session.address} />
          </>
        )}
      </Activity>
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
  // The missing bytes of an upload, in MiB, rounded up.
  const { add } = useSearch({ from: '/billing' })
  const [choice, setChoice] = useState(add === undefined ? String(presets[1]) : 'own')
  const [text, setText] = useState(add === undefined ? '' : String(Math.ceil(add / MIB)))
  const [unit, setUnit] = useState<SizeUnit>(add === undefined ? 'GiB' : 'MiB')
  const isOwn = choice === 'own'
  const sizeBytes = isOwn ? readSize(text, unit) : Number(choice)
  return (
    <PayChoice session={session} chains={chains} first={first} sizeBytes={sizeBytes}>
      <h2 id="buy-title" className="font-semibold">
        {messages.billing.buyTitle}
      </h2>
      <div className="flex flex-col gap-3">
        <Segments
          label={messages.billing.size}
          isLabelShown
          value={choice}
          options={[
            ...presets.map((bytes) => ({ value: String(bytes), label: formatBytes(bytes) })),
            { value: 'own', label: messages.billing.ownSize },
          ]}
          onChange={setChoice}
        />
        {isOwn ? (
          <SizeField
            text={text}
            unit={unit}
            error={sizeBytes === undefined ? messages.billing.sizeWrong : undefined}
            onText={setText}
            onUnit={setUnit}
          />
        ) : undefined}
      </div>
    </PayChoice>
  )
}
