import { CairnError, listDirectory } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { PublicPreview } from '../../preview/PublicPreview.tsx'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { PublicLinks } from './FileDetails.tsx'
import { FolderView } from './FolderView.tsx'

/** Names shown at most; the gateway shows all of a folder. */
const namesMost = 500

/** A public file or folder, or one below a public folder. */
export function PublicContent({
  cid,
  path = '',
  name,
  mimeType,
}: {
  cid: string
  /** Below the CID, names joined by `/`. */
  path?: string
  name: string
  mimeType: string | null
}) {
  const client = useClient()
  const cidPath = path === '' ? cid : `${cid}/${path}`
  // Folders have no type; of what has one, nothing need be asked.
  const mayBeFolder = mimeType === null || mimeType.includes('directory')
  const {
    data = mayBeFolder ? undefined : null,
    error,
    refetch,
  } = useQuery({
    queryKey: ['folder', cidPath],
    queryFn: async ({ signal }) => {
      const items = []
      try {
        for await (const item of listDirectory(client, cidPath, { signal })) {
          if (items.length >= namesMost) return { items, isCut: true }
          items.push(item)
        }
      } catch (fault) {
        if (CairnError.is(fault, 'NOT_A_DIRECTORY')) return null
        throw fault
      }
      return { items, isCut: false }
    },
    enabled: mayBeFolder,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Skeleton className="h-40 w-full" />
  if (data !== null) return <FolderView cid={cid} path={path} {...data} />
  return (
    <div className="flex flex-col gap-4">
      <PublicPreview cidPath={cidPath} name={name} mimeType={mimeType} />
      <div className="flex flex-wrap gap-2">
        <PublicLinks cidPath={cidPath} name={name} />
      </div>
    </div>
  )
}
