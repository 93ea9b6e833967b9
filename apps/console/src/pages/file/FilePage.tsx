import { CairnError, getFileInfo, listDirectory } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { File, Folder } from 'lucide-react'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { formatBytes } from '../../words/format.ts'
import { words } from '../../words/words.ts'
import { FileDetails } from './FileDetails.tsx'

/** One file over the list: Back and Escape return to the list as it was. */
export function FilePage() {
  const { cid = '' } = useParams({ strict: false })
  const client = useClient()
  const navigate = useNavigate()
  const listSearch = useSearch({ from: '/files' })
  const { data, error, refetch } = useQuery({
    queryKey: ['file-info', cid],
    queryFn: ({ signal }) => getFileInfo(client, cid, { signal }),
  })
  return (
    <Modal
      isOpen
      place="right"
      onClose={() => void navigate({ to: '/files', search: listSearch })}
      title={data === undefined || data.fileName === '' ? words.files.details : data.fileName}
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <>
          <FileDetails info={data} />
          {data.encryption ? undefined : <FolderContents cid={cid} />}
        </>
      )}
    </Modal>
  )
}

/** Names shown at most; the gateway shows all of a folder. */
const namesMost = 500

function FolderContents({ cid }: { cid: string }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['folder', cid],
    queryFn: async ({ signal }) => {
      const items = []
      try {
        for await (const item of listDirectory(client, cid, { signal })) {
          items.push(item)
          if (items.length >= namesMost) break
        }
      } catch (error) {
        if (CairnError.is(error, 'NOT_A_DIRECTORY')) return []
        throw error
      }
      return items
    },
  })
  if (data === undefined || data.length === 0) return undefined
  return (
    <section className="mt-8">
      <h3 className="mb-2 flex items-center gap-2 font-semibold text-sm">
        <Folder aria-hidden="true" size={16} />
        {words.places.contents}
      </h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {data.map(({ name, dagSizeBytes }) => (
          <li key={name} className="flex items-center gap-3 px-3 py-2 text-sm">
            <File aria-hidden="true" size={16} className="shrink-0 text-ink-faint" />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {dagSizeBytes === undefined ? undefined : (
              <span className="text-ink-soft tabular">{formatBytes(dagSizeBytes)}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
