import { listPayments } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useUsage } from '../../files/use-usage.ts'
import { SignInGate } from '../../session/SignInGate.tsx'
import type { Session } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { formatBytes, formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** What the account may store, does, and paid. */
export function StoragePage() {
  return (
    <SignInGate>
      {(session) => (
        <>
          <PageHeader title={words.places.storageTitle} />
          <UsageFigures />
          <Payments session={session} />
        </>
      )}
    </SignInGate>
  )
}

function UsageFigures() {
  const { data, error, refetch } = useUsage()
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Skeleton className="h-28 w-full" />
  const { usedBytes, limitBytes } = data
  const figures = [
    [words.places.storageUsed, usedBytes],
    [words.places.storageLimit, limitBytes],
    [words.places.storageLeft, Math.max(0, limitBytes - usedBytes)],
  ] as const
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <dl className="mb-4 flex flex-wrap gap-x-12 gap-y-3">
        {figures.map(([label, bytes]) => (
          <div key={label}>
            <dt className="text-ink-soft text-sm">{label}</dt>
            <dd className="font-semibold text-xl tabular">{formatBytes(bytes)}</dd>
          </div>
        ))}
      </dl>
      <ProgressBar label={words.files.quotaLabel} value={limitBytes === 0 ? 1 : usedBytes / limitBytes} />
    </section>
  )
}

function Payments({ session }: { session: Session }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['payments', session.address],
    queryFn: ({ signal }) => Array.fromAsync(listPayments(client, { signal })),
  })
  return (
    <section className="mt-8">
      <h2 className="mb-2 font-semibold">{words.places.payments}</h2>
      {error !== null ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-16 w-full" />
      ) : data.length === 0 ? (
        <p className="text-ink-soft">{words.places.paymentsNone}</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {data.map(({ id, coin, bytes, network, state, seenAt }) => (
            <li key={id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-2.5 text-sm">
              <span className="font-medium tabular">{bytes === null ? '–' : formatBytes(bytes)}</span>
              <span className="text-ink-soft">{words.places.paymentIn(coin, network)}</span>
              <Tag tone={state === 'credited' ? 'good' : 'plain'}>{state}</Tag>
              <span className="text-ink-soft">{formatDateTime(seenAt)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
