import { listFilesPage } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useState } from 'react'
import { Lock } from '#icons'
import { nameOf } from '../content/use-file-info.ts'
import { listAll, narrowRows } from '../drive/list-items.ts'
import { useDriveQuery, useDriveVersion, useHasDrive } from '../drive-index/use-drive.ts'
import { isDriveFolder } from '../files/listed-file.ts'
import { formatAgo, shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { TextField } from '../ui/forms/TextField.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { FileName } from '../ui/values/FileName.tsx'

const maxRows = 8

/**
 * Returns the files of the account whose names match, or the newest ones. Names in the drive are encrypted, so the service only
 * searches those of uploads; once the drive is listed, it is searched instead. Private files are omitted, because content
 * published under a name is open to everyone.
 */
function usePublishable(wanted: string) {
  const client = useClient()
  const session = useSession()
  const { data: shown } = useDriveQuery({ isEnabled: useHasDrive() })
  const version = useDriveVersion(shown)
  const drive = shown?.drive.known !== undefined && shown.drive.isListed ? shown.drive : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive changes with its version.
  const all = useMemo(
    () =>
      drive === undefined
        ? undefined
        : listAll(drive, { sort: 'createdAt' }).filter((row) => !isDriveFolder(row) && row.private !== true),
    [drive, version],
  )
  const inFolders = useMemo(
    () => all && (wanted === '' ? all : narrowRows(all, '/', { q: wanted }, undefined)).slice(0, maxRows),
    [all, wanted],
  )
  const { data, error, refetch } = useQuery({
    queryKey: ['files', session?.address, 'pick', wanted],
    queryFn: ({ signal }) =>
      listFilesPage(
        client,
        { limit: maxRows, fileType: 'public,encrypted', ...(wanted === '' ? {} : { search: wanted }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    enabled: inFolders === undefined,
  })
  return { files: inFolders ?? data?.fileList, error, refetch }
}

/** Picks one of the account's files: the newest ones, or any search result. */
export function FilePicker({ cid, onPick }: { cid: string | undefined; onPick: (cid: string | undefined) => void }) {
  const name = useId()
  const [search, setSearch] = useState('')
  const [pickedId, setPickedId] = useState<string>()
  const wanted = search.trim()
  const { files, error, refetch } = usePublishable(wanted)
  const ofCid = files?.filter((file) => file.cid === cid) ?? []
  // Two files may have the same content, and rows of the service have other ids than those of the drive.
  const picked = ofCid.find(({ id }) => id === pickedId) ?? ofCid[0]
  const isGone = cid !== undefined && files !== undefined && picked === undefined
  // A file that is no longer visible must not be published.
  useEffect(() => {
    if (isGone) onPick(undefined)
  }, [isGone, onPick])
  if (files === undefined) {
    return <QueryPending query={{ error, refetch }} skeleton="h-40 w-full" />
  }
  if (files.length === 0 && wanted === '') {
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
          onPick(undefined)
        }}
      />
      {files.length === 0 ? (
        <p className="text-ink-soft text-sm">{messages.names.recentMissing}</p>
      ) : (
        <fieldset className="overflow-hidden rounded-lg border border-line">
          <legend className="sr-only">{messages.names.recent}</legend>
          {files.map((file) => (
            <label
              key={file.id}
              className="flex cursor-pointer items-center gap-3 border-line border-b px-3 py-2 text-sm last:border-b-0 hover:bg-hover has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-2"
            >
              <input
                type="radio"
                name={name}
                className="size-4 accent-accent outline-none"
                checked={file === picked}
                onChange={() => {
                  setPickedId(file.id)
                  onPick(file.cid)
                }}
              />
              <span className="flex min-w-0 flex-1 items-center gap-1.5">
                {file.encryption ? (
                  <Lock aria-label={messages.files.access.encrypted} size={12} className="shrink-0 text-ink-soft" />
                ) : undefined}
                <span className="min-w-0 truncate font-medium">
                  <FileName name={nameOf(file)} />
                </span>
              </span>
              <span className="hidden shrink-0 font-mono text-ink-soft sm:inline">{shorten(file.cid)}</span>
              <span className="shrink-0 text-ink-soft">{formatAgo(file.createdAt)}</span>
            </label>
          ))}
        </fieldset>
      )}
      <p role="status" className="text-sm text-warn empty:hidden">
        {picked?.encryption ? messages.names.recentEncrypted : undefined}
      </p>
    </div>
  )
}
