import { getName, listNameHistory } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { SignInGate } from '../../session/SignInGate.tsx'
import type { Session } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ShortCode } from '../../ui/ShortCode.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** One name: what it points to, and what it pointed to before. */
export function NamePage() {
  return <SignInGate>{(session) => <Name session={session} />}</SignInGate>
}

function Name({ session }: { session: Session }) {
  const { key } = useParams({ from: '/names/$key' })
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['names', session.address, key],
    queryFn: async ({ signal }) => ({
      state: await getName(client, key, { signal }),
      history: await Array.fromAsync(listNameHistory(client, key, { signal })),
    }),
  })
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Skeleton className="h-32 w-full" />
  const { state, history } = data
  return (
    <>
      <PageHeader title={state.label ?? words.places.nameLabel} hint={<ShortCode text={state.name} />} />
      <p className="text-ink-soft text-sm">{words.places.namePoints}</p>
      <p className="mb-6 font-mono text-sm">{state.value ?? words.places.nameNever}</p>
      {history.length === 0 ? undefined : (
        <>
          <h2 className="mb-2 font-semibold">{words.places.nameHistory}</h2>
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {history.map(({ sequence, value, publishedAt }) => (
              <li key={String(sequence)} className="flex flex-wrap justify-between gap-x-4 px-4 py-2.5 text-sm">
                <span className="font-medium">{words.places.nameSequence(String(sequence))}</span>
                <span className="font-mono text-ink-soft">{value}</span>
                <span className="text-ink-soft">{formatDateTime(publishedAt)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
