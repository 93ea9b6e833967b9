import type { FolderItem } from '@cairn/sdk'
import { Link } from '@tanstack/react-router'
import { ChevronRight, File, Folder } from '#icons'
import { formatBytes } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { FileName } from '../ui/values/FileName.tsx'

const rowClass = 'flex min-h-10 items-center gap-3 px-3 py-2 text-sm hover:bg-hover pointer-coarse:min-h-11'

/** Lists the names in a folder with their sizes; each opens below it. */
export function FolderView({
  cid,
  path,
  items,
  isCut,
  onOpen,
}: {
  cid: string
  path: string
  items: readonly (Pick<FolderItem, 'name' | 'dagSizeBytes'> & { isFolder: boolean })[]
  isCut: boolean
  /** Opens a path in place, for pages whose address stays. */
  onOpen?: (path: string) => void
}) {
  if (items.length === 0) return <p className="text-ink-soft text-sm">{messages.preview.folderEmpty}</p>
  return (
    <div className="flex flex-col gap-2">
      <ul
        aria-label={messages.preview.folderList}
        className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
      >
        {items.map(({ name, dagSizeBytes, isFolder }) => {
          const below = path === '' ? name : `${path}/${name}`
          const row = <Row name={name} isFolder={isFolder} sizeBytes={dagSizeBytes} />
          return (
            <li key={name}>
              {onOpen === undefined ? (
                <Link
                  to="/files/$cid/$"
                  params={{ cid, _splat: below }}
                  search={(before) => ({ ...before, tab: undefined })}
                  className={rowClass}
                >
                  {row}
                </Link>
              ) : (
                <button type="button" onClick={() => onOpen(below)} className={`${rowClass} w-full text-left`}>
                  {row}
                </button>
              )}
            </li>
          )
        })}
      </ul>
      {isCut ? <p className="text-ink-soft text-sm">{messages.preview.folderMore}</p> : undefined}
    </div>
  )
}

function Row({ name, isFolder, sizeBytes }: { name: string; isFolder: boolean; sizeBytes: number | undefined }) {
  const Icon = isFolder ? Folder : File
  return (
    <>
      <Icon aria-hidden="true" size={16} className="shrink-0 text-ink-faint" />
      <span className="min-w-0 flex-1 truncate" title={markControls(name)}>
        <FileName name={name} />
      </span>
      {isFolder ? (
        <span className="text-ink-soft">{messages.files.folder}</span>
      ) : sizeBytes === undefined ? undefined : (
        <span className="text-ink-soft tabular">{formatBytes(sizeBytes)}</span>
      )}
    </>
  )
}

/** Breadcrumbs of a folder. */
export function FolderPath({ cid, path, rootName }: { cid: string; path: string; rootName: string }) {
  const names = path.split('/').filter(Boolean)
  return (
    <nav aria-label={messages.preview.folderPath} className="mb-4">
      <ol className="flex flex-wrap items-center gap-1 text-sm">
        <li>
          <Link
            to="/files/$cid"
            params={{ cid }}
            search={(before) => before}
            // Otherwise, the folder would also be current on the pages of its contents.
            activeOptions={{ exact: true }}
            className="inline-flex min-h-6 items-center text-accent-ink underline-offset-2 hover:underline"
          >
            <FileName name={rootName} />
          </Link>
        </li>
        {names.map((name, i) => {
          const below = names.slice(0, i + 1).join('/')
          return (
            <li key={below} className="flex items-center gap-1">
              <ChevronRight aria-hidden="true" size={14} className="text-ink-faint" />
              {i === names.length - 1 ? (
                <span aria-current="page">
                  <FileName name={name} />
                </span>
              ) : (
                <Link
                  to="/files/$cid/$"
                  params={{ cid, _splat: below }}
                  search={(before) => before}
                  activeOptions={{ exact: true }}
                  className="inline-flex min-h-6 items-center text-accent-ink underline-offset-2 hover:underline"
                >
                  <FileName name={name} />
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
