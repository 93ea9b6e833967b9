import { CairnError, getProofs } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import { useClient } from '../../session/use-client.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ShortCode } from '../../ui/ShortCode.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from '../../words/words.ts'

/** Where one file is kept, with the proof. */
export function ProofPage() {
  const { cid } = useParams({ from: '/proofs/$cid' })
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['proofs', cid],
    queryFn: ({ signal }) => getProofs(client, cid, { signal }),
  })
  return (
    <>
      <PageHeader title={words.places.proofsTitle} hint={<ShortCode text={cid} label={words.files.copyCid} />} />
      {CairnError.is(error, 'PROOF_NOT_FOUND') ? (
        <EmptyState icon={Hourglass} title={words.places.proofWaiting} hint={words.places.proofWaitingHint} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-32 w-full" />
      ) : (
        <details className="rounded-lg border border-line bg-surface p-4" open>
          <summary className="cursor-pointer font-medium">{words.places.proofRaw}</summary>
          <pre className="mt-3 overflow-x-auto font-mono text-sm">{JSON.stringify(data, undefined, 2)}</pre>
        </details>
      )}
    </>
  )
}
