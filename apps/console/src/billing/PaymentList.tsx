import { listPayments, type Payment } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Clock, type IconComponent, Receipt, TriangleAlert, Undo2 } from '#icons'
import { describeReason } from '../messages/describe-reason.ts'
import { formatBytes, formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { ExplorerLink } from './ExplorerLink.tsx'
import { transactionPage } from './explorer.ts'
import { describeAmount } from './payment-amount.ts'

const styles: Record<Payment['state'], { tone: 'plain' | 'good' | 'warn' | 'bad'; icon: IconComponent }> = {
  seen: { tone: 'plain', icon: Clock },
  unpriced: { tone: 'warn', icon: Clock },
  credited: { tone: 'good', icon: Check },
  refused: { tone: 'bad', icon: TriangleAlert },
  orphaned: { tone: 'bad', icon: Undo2 },
}
/** Polling interval in ms while a payment is pending. */
const recheckMs = 3000

/** The payments of the account, including pending ones, newest first. */
export function PaymentList({ session }: { session: Session }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['payments', session.address],
    queryFn: ({ signal }) => Array.fromAsync(listPayments(client, { signal })),
    refetchInterval: ({ state }) =>
      state.data?.some((payment) => payment.state === 'seen' || payment.state === 'unpriced') ? recheckMs : false,
  })
  return (
    <section aria-labelledby="payments-title">
      <h2 id="payments-title" className="mb-2 font-semibold">
        {messages.billing.payments}
      </h2>
      <QueryView
        query={{ data, error, refetch }}
        skeleton="h-16 w-full"
        empty={<EmptyState icon={Receipt} title={messages.billing.none} hint={messages.billing.noneHint} />}
      >
        {(data) => (
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {data.map((payment) => (
              <PaymentRow key={payment.id} payment={payment} />
            ))}
          </ul>
        )}
      </QueryView>
    </section>
  )
}

function PaymentRow({ payment }: { payment: Payment }) {
  const { id, bytes, network, state, seenAt, txHash, confirmations, reason, reasonFacts } = payment
  const chains = useNetwork()
  const { tone, icon } = styles[state]
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 text-sm sm:grid-cols-[minmax(0,1fr)_11rem_10rem_auto]">
      <div className="min-w-0">
        <p className="font-medium tabular">{bytes === null ? '–' : formatBytes(bytes)}</p>
        <p className="text-ink-soft">
          {describeAmount(payment, chains)} · {network}
        </p>
      </div>
      <div className="justify-self-end sm:justify-self-start">
        <Tag tone={tone} icon={icon}>
          {messages.billing.states[state]}
        </Tag>
      </div>
      <time dateTime={new Date(seenAt).toISOString()} className="text-ink-soft">
        {formatDateTime(seenAt)}
      </time>
      <span className="flex items-center justify-end">
        {state === 'credited' ? (
          <Link
            to="/billing/receipts/$id"
            params={{ id }}
            aria-label={messages.billing.receipt}
            title={messages.billing.receipt}
            className="grid size-8 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink pointer-coarse:size-11"
          >
            <Receipt aria-hidden="true" size={16} />
          </Link>
        ) : undefined}
        <CopyButton text={txHash} size="small" label={messages.billing.copyTransaction} />
        <ExplorerLink page={transactionPage(network, txHash)} label={messages.billing.openTransaction} />
      </span>
      {confirmations === null && reason === null ? undefined : (
        <p className="col-span-full text-ink-soft">
          {reason !== null
            ? describeReason(reason, reasonFacts)
            : confirmations === null
              ? ''
              : messages.billing.confirmations(confirmations.have, confirmations.need)}
        </p>
      )}
    </li>
  )
}
