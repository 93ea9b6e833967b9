import { openEncryptedFolder } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { FileQuestion } from '#icons'
import { AccessFault } from '../../access/AccessFault.tsx'
import { namesBelow } from '../../files/names-below.ts'
import { EncryptedContent } from '../../preview/EncryptedContent.tsx'
import { Locked } from '../../preview/Locked.tsx'
import { isFileWanted, wantFile } from '../../preview/wanted-file.ts'
import { isAborted } from '../../session/is-aborted.ts'
import { useSession } from '../../session/session-store.ts'
import { useKeyClient } from '../../session/use-key-client.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from '../../words/words.ts'
import { FolderView } from './FolderView.tsx'

/** Names shown at most. */
const namesMost = 500

/**
 * A folder that was encrypted as one, or what lies below it. Opens by itself where the key nodes know the user; its key stays
 * with the answer, which goes when the user does.
 */
export function EncryptedFolder({ cid, path = '' }: { cid: string; path?: string }) {
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
    if (isFetching) return <Skeleton className="h-40 w-full" />
    if (error !== null && !isAborted(error)) return <AccessFault cid={cid} error={error} onRetry={refetch} />
    const open = () => (isAsked ? void refetch() : setAsked(true))
    return (
      <Locked
        cid={cid}
        title={words.preview.lockedFolderTitle}
        hint={words.preview.lockedFolderHint}
        action={words.preview.openFolder}
        onOpen={open}
      />
    )
  }
  const { masterKey, files } = data
  const file = files.find((one) => one.path === path)
  if (file !== undefined) {
    const { cidPath, sizeBytes } = file
    const name = path.slice(path.lastIndexOf('/') + 1)
    return <EncryptedContent key={cidPath} {...{ cid: cidPath, name, sizeBytes, masterKey }} mimeType={null} />
  }
  const names = namesBelow(files, path)
  if (names === undefined)
    return <EmptyState icon={FileQuestion} title={words.preview.noSuchNameTitle} hint={words.preview.noSuchNameHint} />
  return (
    <FolderView
      cid={cid}
      path={path}
      items={names
        .slice(0, namesMost)
        .map(({ name, sizeBytes }) => ({ name, dagSizeBytes: sizeBytes, isFolder: sizeBytes === undefined }))}
      isCut={names.length > namesMost}
    />
  )
}
