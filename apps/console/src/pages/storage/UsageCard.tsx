import { useUsageHistory } from '../../payments/use-usage-history.ts'
import type { Session } from '../../session/session-store.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { formatBytes } from '../../words/format.ts'
import { words } from '../../words/words.ts'
import { UsageChart } from './UsageChart.tsx'

/** From here on the bar warns. */
const nearlyFull = 0.9

/** How much of the account's storage is used, where the limit comes from, and how both came about. */
export function UsageCard({ session }: { session: Session }) {
  const { data, error, refetch } = useUsageHistory(session)
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-72 w-full" />
    ) : (
      <ErrorState error={error} onRetry={() => refetch()} />
    )
  }
  const { quota, points, isPart, drawnFrom } = data
  const { usedBytes, limitBytes, availableBytes, reservedBytes, boughtBytes, allowanceBytes, adjustedBytes } = quota
  const share = limitBytes === 0 ? 1 : (usedBytes + reservedBytes) / limitBytes
  const sources = [
    ...(allowanceBytes > 0 ? [words.storage.free(allowanceBytes)] : []),
    ...(boughtBytes > 0 ? [words.storage.bought(boughtBytes)] : []),
    ...(adjustedBytes > 0 ? [words.storage.adjusted(adjustedBytes)] : []),
  ]
  return (
    <section className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      {error === null ? undefined : (
        <Banner
          tone="warn"
          action={
            <Button size="small" onClick={() => void refetch()}>
              {words.shell.retry}
            </Button>
          }
        >
          {words.shell.errorOld}
        </Banner>
      )}
      <div className="p-5">
        <dl className="mb-4 flex flex-wrap gap-x-10 gap-y-3">
          <Figure label={words.storage.used} bytes={usedBytes} />
          <Figure label={words.storage.left} bytes={Math.max(0, availableBytes)} />
          <Figure label={words.storage.limit} bytes={limitBytes} />
        </dl>
        <ProgressBar
          label={words.storage.barLabel}
          value={share}
          tone={share >= 1 ? 'bad' : share >= nearlyFull ? 'warn' : 'accent'}
        />
        <p className="mt-3 text-ink-soft text-sm">
          {sources.join(' · ')}
          {reservedBytes > 0 ? ` · ${words.storage.reserved(reservedBytes)}` : ''}
        </p>
      </div>
      <UsageChart points={points} note={isPart ? words.storage.overTimeFrom(drawnFrom) : undefined} />
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
