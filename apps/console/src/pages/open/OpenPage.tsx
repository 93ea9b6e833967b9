import { getFileInfo } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from '../../words/words.ts'
import { FileDetails } from '../file/FileDetails.tsx'

/** What somebody sees who was given a link: a public file at once, an encrypted one with the wallet it was shared with. */
export function OpenPage() {
  const { cid } = useParams({ from: '/open/$cid' })
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['file-info', cid],
    queryFn: ({ signal }) => getFileInfo(client, cid, { signal }),
  })
  return (
    <div className="mx-auto w-full max-w-2xl">
      <PageHeader title={data === undefined || data.fileName === '' ? words.places.openTitle : data.fileName} />
      {error !== null ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <FileDetails info={data} />
      )}
    </div>
  )
}
