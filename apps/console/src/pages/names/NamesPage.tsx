import { createName, listNames } from '@cairn/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Signpost } from 'lucide-react'
import { SignInGate } from '../../session/SignInGate.tsx'
import type { Session } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toastError } from '../../ui/toast-store.ts'
import { shorten } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** The account's names (IPNS). */
export function NamesPage() {
  return <SignInGate>{(session) => <Names session={session} />}</SignInGate>
}

function Names({ session }: { session: Session }) {
  const client = useClient()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['names', session.address],
    queryFn: ({ signal }) => Array.fromAsync(listNames(client, { signal })),
  })
  const create = useMutation({
    mutationFn: () => createName(client),
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
    onError: (fault) => toastError(words.places.nameCreateFailed, fault),
  })
  const button = (
    <Button kind="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
      <Plus aria-hidden="true" size={16} />
      {words.places.nameCreate}
    </Button>
  )
  return (
    <>
      <PageHeader title={words.places.namesTitle} hint={words.places.namesHint}>
        {data === undefined || data.length === 0 ? undefined : button}
      </PageHeader>
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-32 w-full" />
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : data.length === 0 ? (
        <EmptyState icon={Signpost} title={words.places.namesNone} hint={words.places.namesNoneHint}>
          {button}
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {data.map(({ id, name, label, value }) => (
            <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 text-sm">
              <Link to="/names/$key" params={{ key: name }} className="font-medium hover:underline">
                {label ?? <span className="font-mono">{shorten(name, 10, 8)}</span>}
              </Link>
              <span className="font-mono text-ink-soft">
                {value === null ? words.places.nameNever : shorten(value, 14, 6)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
