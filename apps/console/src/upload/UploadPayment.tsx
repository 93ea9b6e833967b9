import { MIB } from '@cairn/protocol'
import { CannotPay, useCannotPay } from '../billing/CannotPay.tsx'
import { PayChoice } from '../billing/PayChoice.tsx'
import { PaymentProgress } from '../billing/PaymentProgress.tsx'
import { payableChains } from '../billing/payable-chains.ts'
import { useRunningPayment } from '../billing/payment-store.ts'
import { useResumedPayment } from '../billing/use-resumed-payment.ts'
import { formatBytes, formatUsd } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { priceUsd } from '../messages/price-usd.ts'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { useUploadWaits } from './upload-when-paid.ts'

/** Buys the storage that an upload needs; the upload starts automatically after the credit. */
export function UploadPayment({
  missingBytes,
  isDisabled,
  onPaying,
}: {
  missingBytes: number
  isDisabled: boolean
  onPaying: () => Promise<void>
}) {
  const network = useNetwork()
  const session = useSession()
  const payment = useRunningPayment()
  const waits = useUploadWaits()
  const address = session?.address
  const cannotPay = useCannotPay({ address: address ?? '' })
  useResumedPayment(address)
  const chains = payableChains(network)
  const [first] = chains
  if (session === undefined) return undefined
  // Prices are per whole MiB.
  const sizeBytes = Math.ceil(missingBytes / MIB) * MIB
  if (payment !== undefined) {
    const isUnderWay = payment.error === undefined && payment.step !== 'credited'
    return (
      <div className="rounded-lg border border-line p-4">
        <PaymentProgress payment={payment} />
        {waits ? (
          <p className="mt-3 text-sm">{messages.upload.startsWhenPaid}</p>
        ) : isUnderWay ? (
          <Button className="mt-3" disabled={isDisabled} onClick={() => void onPaying()}>
            {messages.upload.startWhenPaid}
          </Button>
        ) : undefined}
      </div>
    )
  }
  if (cannotPay !== undefined) return <CannotPay reason={cannotPay} />
  if (first === undefined) return <p className="text-sm text-warn">{messages.billing.noChainHint}</p>
  return (
    <div className="rounded-lg border border-line p-4">
      <PayChoice
        session={session}
        chains={chains}
        first={first}
        sizeBytes={sizeBytes}
        isDisabled={isDisabled}
        onPaying={onPaying}
      >
        <div>
          <h3 className="font-semibold">
            {messages.upload.add(formatBytes(sizeBytes), formatUsd(priceUsd(network, sizeBytes)))}
          </h3>
          <p className="text-ink-soft text-sm">{messages.upload.addHint}</p>
        </div>
      </PayChoice>
    </div>
  )
}
