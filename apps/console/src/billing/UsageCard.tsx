import { factSeparator, formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { StaleBanner } from '../ui/states/StaleBanner.tsx'
import { UsageChart } from './UsageChart.tsx'
import { useUsageHistory } from './use-usage-history.ts'

/** Usage from which the bar warns. */
const nearlyFull = 0.9

/** Usage of the account, the sources of its limit, and the history of both. */
export function UsageCard({ session }: { session: Session }) {
  const { data, error, refetch } = useUsageHistory(session)
  if (data === undefined) {
    return <QueryPending query={{ error, refetch }} skeleton="h-112 w-full" />
  }
  const { quota, points, isPart, drawnFrom } = data
  const { usedBytes, limitBytes, availableBytes, reservedBytes, boughtBytes, allowanceBytes, adjustedBytes } = quota
  const share = limitBytes === 0 ? 1 : (usedBytes + reservedBytes) / limitBytes
  const sources = [
    ...(allowanceBytes > 0 ? [messages.billing.free(allowanceBytes)] : []),
    ...(boughtBytes > 0 ? [messages.billing.bought(boughtBytes)] : []),
    ...(adjustedBytes > 0 ? [messages.billing.adjusted(adjustedBytes)] : []),
  ]
  return (
    <section className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      <StaleBanner error={error} onRetry={refetch} />
      <div className="p-5">
        <dl className="mb-4 flex flex-wrap gap-x-10 gap-y-3">
          <Figure label={messages.billing.used} bytes={usedBytes} />
          <Figure label={messages.billing.left} bytes={Math.max(0, availableBytes)} />
          <Figure label={messages.billing.limit} bytes={limitBytes} />
        </dl>
        <ProgressBar
          label={messages.billing.barLabel}
          value={share}
          tone={share >= 1 ? 'bad' : share >= nearlyFull ? 'warn' : 'accent'}
        />
        <p className="mt-3 text-ink-soft text-sm">
          {sources.join(factSeparator)}
          {reservedBytes > 0 ? `${factSeparator}${messages.billing.reserved(reservedBytes)}` : ''}
        </p>
      </div>
      <UsageChart points={points} note={isPart ? messages.billing.overTimeFrom(drawnFrom) : undefined} />
    </section>
  )
}

function Figure({ label, bytes }: { label: string; bytes: number }) {
  return (
    <div>
      <dt className="text-ink-soft text-sm">{label}</dt>
      <dd className="font-semibold text-xl tabular">{formatBytes(bytes)}</dd>
    </div>
  )
}
