import { openEncryptedFolder } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { FileQuestion } from '#icons'
import { FolderView } from '../content/FolderView.tsx'
import { namesBelow } from '../content/names-below.ts'
import { type FileInfo, nameOf } from '../content/use-file-info.ts'
import { messages } from '../messages/messages.ts'
import { AccessFailure } from '../preview/AccessFailure.tsx'
import { EncryptedContent } from '../preview/EncryptedContent.tsx'
import { Locked } from '../preview/Locked.tsx'
import { isFileWanted, wantFile } from '../preview/wanted-file.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { ZipFolder } from '../zip/ZipFolder.tsx'

/** Maximum number of names shown. */
const maxNames = 500

/**
 * A folder encrypted as one, or a path below it. Opens automatically if a key session exists; its key stays with the
 * query result, which is removed on sign-out.
 */
export function EncryptedFolder({ info, path = '' }: { info: FileInfo; path?: string }) {
  const { cid } = info
  const session = useSession()
  const needKeyClient = useKeyClient()
  const [isAsked, setAsked] = useState(false)
  const opensItself = session !== undefined && (session.keySession !== undefined || isFileWanted(cid))
  useEffect(() => {
    if (!opensItself) return
    wantFile(undefined)
    setAsked(true)
  }, [opensItself])
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['encrypted-folder', cid, session?.address],
    queryFn: async ({ signal }) => openEncryptedFolder(await needKeyClient(), cid, { signal }),
    enabled: session !== undefined && isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data === undefined) {
    if (isFetching) return <Skeleton />
    if (error !== null && !isAborted(error)) return <AccessFailure isFolder cid={cid} error={error} onRetry={refetch} />
    const open = () => (isAsked ? void refetch() : setAsked(true))
    return (
      <Locked
        cid={cid}
        title={messages.preview.lockedFolderTitle}
        hint={messages.preview.lockedFolderHint}
        action={messages.preview.openFolder}
        onOpen={open}
      />
    )
  }
  const { masterKey, files, folders } = data
  const file = files.find((one) => one.path === path)
  if (file !== undefined) {
    const { cidPath, sizeBytes } = file
    const name = path.slice(path.lastIndexOf('/') + 1)
    return <EncryptedContent key={cidPath} {...{ cid: cidPath, name, sizeBytes, masterKey }} mimeType={null} />
  }
  const names = namesBelow(files, path, folders)
  if (names === undefined)
    return (
      <EmptyState icon={FileQuestion} title={messages.preview.noSuchNameTitle} hint={messages.preview.noSuchNameHint} />
    )
  return (
    <div className="flex flex-col gap-4">
      <ZipFolder key={path} cid={cid} path={path} name={nameOf(info)} folder={data} />
      <FolderView
        cid={cid}
        path={path}
        items={names
          .slice(0, maxNames)
          .map(({ name, sizeBytes }) => ({ name, dagSizeBytes: sizeBytes, isFolder: sizeBytes === undefined }))}
        isCut={names.length > maxNames}
      />
    </div>
  )
}
