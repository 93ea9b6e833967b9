import { listFilesPage } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Blocks } from 'lucide-react'
import { SignInGate } from '../../session/SignInGate.tsx'
import type { Session } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { shorten } from '../../words/format.ts'
import { words } from '../../words/words.ts'

const rowsMost = 100

/** The newest files, each leading to where it is kept. */
export function ProofsPage() {
  return <SignInGate>{(session) => <Proofs session={session} />}</SignInGate>
}

function Proofs({ session }: { session: Session }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['files', session.address, 'proofs'],
    queryFn: ({ signal }) => listFilesPage(client, { limit: rowsMost }, { signal }),
  })
  return (
    <>
      <PageHeader title={words.places.proofsTitle} hint={words.places.proofsHint} />
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-32 w-full" />
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : data.fileList.length === 0 ? (
        <EmptyState icon={Blocks} title={words.places.proofsNone} hint={words.places.proofsNoneHint} />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {data.fileList.map(({ id, cid, fileName }) => (
            <li key={id} className="flex items-center justify-between gap-4 px-4 py-2.5 text-sm">
              <Link
                to="/proofs/$cid"
                params={{ cid }}
                aria-label={words.places.proofsOf(fileName)}
                className="min-w-0 truncate font-medium hover:underline"
              >
                {fileName}
              </Link>
              <span className="shrink-0 font-mono text-ink-soft">{shorten(cid)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
