import { getStatus } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { words } from '../../words/words.ts'

/** How the network's parts are. */
export function StatusPage() {
  const client = useClient()
  const network = useNetwork()
  const { data, error, refetch } = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => getStatus(client, { signal }),
    refetchInterval: 15_000,
  })
  return (
    <>
      <PageHeader title={words.status.title} hint={words.status.hint(network.name)} />
      {error !== null ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : data.ready ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {Object.entries({ [words.status.service]: `ok, ${data.version}`, ...data.parts }).map(([part, state]) => (
            <li key={part} className="flex items-center justify-between gap-4 px-4 py-3 text-sm">
              <span className="font-medium">{part}</span>
              <Tag
                tone={state.startsWith('ok') ? 'good' : 'bad'}
                icon={state.startsWith('ok') ? CircleCheck : CircleAlert}
              >
                {state}
              </Tag>
            </li>
          ))}
        </ul>
      ) : (
        <ErrorState error={data.error} onRetry={() => refetch()} />
      )}
    </>
  )
}
