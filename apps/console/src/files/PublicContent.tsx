import { CairnError, type Client, type FolderItem, listDirectory } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ContentPlace } from '../content/content-url.ts'
import { FolderView } from '../content/FolderView.tsx'
import { mayBeFolder } from '../content/folder-type.ts'
import { findIsFolder } from '../content/use-is-folder.ts'
import { language } from '../messages/language.ts'
import { PublicPreview } from '../preview/PublicPreview.tsx'
import { useClient } from '../session/use-client.ts'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { ZipButton } from '../zip/ZipButton.tsx'
import { CopyLink, PublicLinks } from './FileDetails.tsx'
import { SignLinkButton } from './SignLinkDialog.tsx'

/** Maximum number of names shown; the gateway shows the whole folder. */
const maxNames = 500

/** Maximum number of names that are queried, because the listing waits for the answers. Names beyond are shown as files. */
const askedNames = 64

/**
 * The names of a folder, folders first. The folder itself does not state which names are folders, so each that may be one is
 * queried; names without an extension come first.
 */
async function markFolders(
  client: Client,
  { cidPath, isPrivate }: ContentPlace,
  items: readonly FolderItem[],
): Promise<(FolderItem & { isFolder: boolean })[]> {
  const asked = items
    .filter(({ cid }) => mayBeFolder({ cid, mimeType: null }))
    .sort((one, other) => Number(one.name.includes('.')) - Number(other.name.includes('.')))
    .slice(0, askedNames)
  const found = await Promise.all(
    asked.map(({ cid, name }) =>
      // Of a private upload, only paths below its root can be read.
      findIsFolder(client, { cid, mimeType: null }, isPrivate ? `${cidPath}/${name}` : cid),
    ),
  )
  const folders = new Set(asked.filter((_, i) => found[i]).map(({ name }) => name))
  const order = new Intl.Collator(language, { numeric: true })
  return items
    .map((item) => ({ ...item, isFolder: folders.has(item.name) }))
    .sort((one, other) => Number(other.isFolder) - Number(one.isFolder) || order.compare(one.name, other.name))
}

/** A file or folder that is not encrypted, or one below such a folder. */
export function PublicContent({
  cid,
  isPrivate,
  path = '',
  name,
  mimeType,
  sizeBytes,
}: {
  cid: string
  isPrivate: boolean
  /** Below the CID, names joined by `/`. */
  path?: string
  name: string
  mimeType: string | null
  /** Size in bytes, if it is known. */
  sizeBytes?: number
}) {
  const client = useClient()
  const cidPath = path === '' ? cid : `${cid}/${path}`
  // Folders have no type, so content with a type needs no check.
  const mayBeFolder = mimeType === null || mimeType.includes('directory')
  const {
    data = mayBeFolder ? undefined : null,
    error,
    refetch,
  } = useQuery({
    queryKey: ['folder', cidPath],
    queryFn: async ({ signal }) => {
      const items: FolderItem[] = []
      try {
        for await (const item of listDirectory(client, cidPath, { signal })) {
          if (items.length >= maxNames)
            return { items: await markFolders(client, { cidPath, isPrivate }, items), isCut: true }
          items.push(item)
        }
      } catch (failure) {
        if (CairnError.is(failure, 'NOT_A_DIRECTORY')) return null
        throw failure
      }
      return { items: await markFolders(client, { cidPath, isPrivate }, items), isCut: false }
    },
    enabled: mayBeFolder,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Skeleton />
  if (data !== null) {
    return (
      <div className="flex flex-col gap-4">
        {data.items.length === 0 ? undefined : (
          <div>
            <ZipButton
              name={name}
              items={[{ path: name, cid, innerPath: path, mimeType, isEncrypted: false, isPrivate }]}
              totalBytes={sizeBytes ?? totalOf(data)}
            />
          </div>
        )}
        <FolderView cid={cid} path={path} {...data} />
        <div className="flex flex-wrap gap-2">
          <PublicLinks cidPath={cidPath} isPrivate={isPrivate} name={name} isFolder />
          {isPrivate ? (
            <SignLinkButton cidPath={cidPath} name={name} mimeType={mimeType} />
          ) : path === '' ? (
            <CopyLink cid={cid} />
          ) : undefined}
        </div>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <PublicPreview cidPath={cidPath} isPrivate={isPrivate} name={name} mimeType={mimeType} />
      <div className="flex flex-wrap gap-2">
        <PublicLinks cidPath={cidPath} isPrivate={isPrivate} name={name} />
        {isPrivate ? <SignLinkButton cidPath={cidPath} name={name} mimeType={mimeType} /> : undefined}
      </div>
    </div>
  )
}

/** Size of a folder as its entries claim it; 0 if it is not known. */
function totalOf({ items, isCut }: { items: readonly FolderItem[]; isCut: boolean }): number {
  return isCut ? 0 : items.reduce((sum, { dagSizeBytes = 0 }) => sum + dagSizeBytes, 0)
}
