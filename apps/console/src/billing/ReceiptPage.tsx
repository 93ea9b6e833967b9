import { listPayments, type Payment } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Printer, Receipt } from '#icons'
import { formatBytes, formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { transactionPage } from './explorer.ts'
import { describeAmount, describeValue } from './payment-amount.ts'

/** The receipt of a payment, to print: the frame of the console is not printed. */
export function ReceiptPage({ session }: { session: Session }) {
  const { id } = useParams({ from: '/billing/receipts/$id' })
  const client = useClient()
  const query = useQuery({
    queryKey: ['payments', session.address],
    queryFn: ({ signal }) => Array.fromAsync(listPayments(client, { signal })),
  })
  return (
    <div className="w-full max-w-3xl">
      <QueryView query={query} skeleton="h-72 w-full">
        {(payments) => {
          const payment = payments.find((one) => one.id === id && one.state === 'credited')
          return payment === undefined ? (
            <EmptyState isPage icon={Receipt} title={messages.receipt.missing} hint={messages.receipt.missingHint}>
              <Link to="/billing" className={buttonClass('primary')}>
                {messages.receipt.back}
              </Link>
            </EmptyState>
          ) : (
            <PaymentReceipt payment={payment} />
          )
        }}
      </QueryView>
    </div>
  )
}

function PaymentReceipt({ payment }: { payment: Payment }) {
  const network = useNetwork()
  const { id, beneficiary, payer, network: chain, txHash, blockNumber, bytes, creditedAt, seenAt } = payment
  const value = describeValue(payment, network)
  const page = transactionPage(chain, txHash)
  const rows: readonly (readonly [label: string, value: string])[] = [
    [messages.receipt.number, id],
    [messages.receipt.date, formatDateTime(creditedAt ?? seenAt)],
    [messages.receipt.service, `${network.name} (${new URL(network.api).host})`],
    [messages.receipt.account, beneficiary],
    [messages.receipt.payer, payer],
    [messages.receipt.storage, messages.receipt.storageOf(formatBytes(bytes ?? 0))],
    [messages.receipt.amount, describeAmount(payment, network)],
    ...(value === undefined ? [] : [[messages.receipt.value, value] as const]),
    [messages.receipt.chain, messages.receipt.block(chain, blockNumber)],
    [messages.receipt.transaction, txHash],
    ...(page === undefined ? [] : [[messages.receipt.proof, page] as const]),
  ]
  return (
    <>
      <PageHeader title={messages.receipt.title} hint={messages.receipt.hint}>
        <Button kind="primary" className="print:hidden" onClick={() => print()}>
          <Printer aria-hidden="true" size={16} />
          {messages.receipt.print}
        </Button>
      </PageHeader>
      <dl className="divide-y divide-line rounded-lg border border-line bg-surface">
        {rows.map(([label, text]) => (
          <div key={label} className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[10rem_1fr]">
            <dt className="text-ink-soft text-sm">{label}</dt>
            <dd className="min-w-0 break-all text-sm tabular">{text}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 print:hidden">
        <Link to="/billing" className="text-accent-ink text-sm underline underline-offset-2">
          {messages.receipt.back}
        </Link>
      </p>
    </>
  )
}
