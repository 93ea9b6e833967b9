import { listFilesPage } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { formatAgo, shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { FileName } from '../ui/FileName.tsx'
import { QueryPending } from '../ui/QueryView.tsx'
import { TextField } from '../ui/TextField.tsx'

const maxRows = 8

/** Picks one of the account's files: the newest ones, or any search result. */
export function FilePicker({ cid, onPick }: { cid: string | undefined; onPick: (cid: string | undefined) => void }) {
  const name = useId()
  const client = useClient()
  const session = useSession()
  const [search, setSearch] = useState('')
  const wanted = search.trim()
  const { data, error, refetch } = useQuery({
    queryKey: ['files', session?.address, 'pick', wanted],
    queryFn: ({ signal }) =>
      listFilesPage(
        client,
        // A name opens for everyone, a private file does not.
        { limit: maxRows, fileType: 'public,encrypted', ...(wanted === '' ? {} : { search: wanted }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })
  if (data === undefined) {
    return <QueryPending query={{ error, refetch }} skeleton="h-40 w-full" />
  }
  if (data.fileList.length === 0 && wanted === '') {
    return <p className="text-ink-soft text-sm">{messages.names.recentNone}</p>
  }
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={messages.names.recentSearch}
        type="search"
        value={search}
        maxLength={200}
        onChange={({ target }) => {
          setSearch(target.value)
          // What is no longer in sight is not published.
          onPick(undefined)
        }}
      />
      {data.fileList.length === 0 ? (
        <p className="text-ink-soft text-sm">{messages.names.recentMissing}</p>
      ) : (
        <fieldset className="overflow-hidden rounded-lg border border-line">
          <legend className="sr-only">{messages.names.recent}</legend>
          {data.fileList.map((file) => (
            <label
              key={file.id}
              className="flex cursor-pointer items-center gap-3 border-line border-b px-3 py-2 text-sm last:border-b-0 hover:bg-hover has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-2"
            >
              <input
                type="radio"
                name={name}
                className="size-4 accent-accent"
                checked={file.cid === cid}
                onChange={() => onPick(file.cid)}
              />
              <span className="min-w-0 flex-1 truncate font-medium">
                <FileName name={file.fileName} />
              </span>
              <span className="hidden shrink-0 font-mono text-ink-soft sm:inline">{shorten(file.cid)}</span>
              <span className="shrink-0 text-ink-soft">{formatAgo(file.createdAt)}</span>
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}
