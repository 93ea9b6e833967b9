import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { ArrowLeft } from '#icons'
import { FolderView } from '../content/FolderView.tsx'
import { namesBelow } from '../content/names-below.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { ZipFolder } from '../zip/ZipFolder.tsx'
import { LinkFile } from './LinkFile.tsx'
import { useLinkFolder } from './use-link-folder.ts'

/** Maximum number of names shown. */
const maxNames = 500

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be added to.
  interface HistoryState {
    /** Path in the folder of a link. */
    linkPath?: string
  }
}

/**
 * A folder that a link opened. The current path is kept in the browser's history, so that Back returns to the folder above
 * without opening the link again, which would count. The address stays, because it contains the key.
 */
export function LinkFolder({ cid, name: folderName, masterKey }: { cid: string; name: string; masterKey: string }) {
  const { history } = useRouter()
  const navigate = useNavigate()
  const path = useLocation({ select: ({ state }) => state.linkPath ?? '' })
  const open = (linkPath: string) => void navigate({ to: '.', hash: true, state: { linkPath } })
  const { data, error, refetch } = useLinkFolder(cid, masterKey)
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Skeleton />
  const file = data.files.find((one) => one.path === path)
  const names = file === undefined ? (namesBelow(data.files, path, data.folders) ?? []) : []
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    <div className="flex flex-col gap-3">
      {path === '' ? undefined : (
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
          <Button size="small" onClick={() => history.back()}>
            <ArrowLeft aria-hidden="true" size={16} />
            {messages.linkPage.up}
          </Button>
          <h2 className="min-w-0 break-words font-medium">
            <FileName name={name} />
          </h2>
        </div>
      )}
      {file === undefined ? (
        <>
          <ZipFolder key={path} cid={cid} path={path} name={folderName} folder={data} />
          <FolderView
            cid={cid}
            path={path}
            items={names
              .slice(0, maxNames)
              .map((item) => ({ ...item, dagSizeBytes: item.sizeBytes, isFolder: item.sizeBytes === undefined }))}
            isCut={names.length > maxNames}
            onOpen={open}
          />
        </>
      ) : (
        <LinkFile key={path} cid={file.cidPath} {...{ name, masterKey }} mimeType={null} sizeBytes={file.sizeBytes} />
      )}
    </div>
  )
}
