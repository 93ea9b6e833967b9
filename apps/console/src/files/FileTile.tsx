import { memo, useState } from 'react'
import { Lock } from '#icons'
import { useContentUrl } from '../content/content-url.ts'
import { factSeparator, formatAgo } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { useObjectUrl } from '../preview/use-object-url.ts'
import { hasThumbnail, thumbnailType } from '../thumbnails/make-thumbnail.ts'
import { useThumbnail } from '../thumbnails/use-thumbnail.ts'
import { classNames } from '../ui/class-names.ts'
import { FileLink } from './FileLink.tsx'
import { AccessIcon, FileMark, ItemMarks } from './FileMark.tsx'
import { FileMenu } from './FileMenu.tsx'
import type { FilesSearch } from './files-search.ts'
import type { ListedFile } from './listed-file.ts'
import type { DropResult } from './row-drag.ts'
import type { FileActions } from './use-file-actions.ts'
import { useShownFile } from './use-shown-file.ts'

/** Maximum size of a picture that a tile fetches. */
const maxPictureBytes = 4 * 1024 * 1024

/** One file as a tile, with a preview of a small picture. */
export const FileTile = memo(function FileTile({
  file,
  isSelected,
  isCut,
  isActive,
  onToggle,
  actions,
  search,
  dropResult,
  isDraggable,
}: {
  file: ListedFile
  isSelected: boolean
  /** Whether it was cut, and moves to where it is pasted. */
  isCut: boolean
  isActive: boolean
  onToggle: (id: string) => void
  actions: FileActions
  search: FilesSearch
  /** The result of a drop here, while something is dragged over it. */
  dropResult: DropResult | undefined
  isDraggable: boolean
}) {
  const {
    id,
    cid,
    fileName,
    fileSizeInBytes,
    createdAt,
    mimeType,
    encryption,
    private: isPrivate = false,
    item,
    place,
  } = file
  const [isBroken, setBroken] = useState(false)
  const { isFolder, isOwnFolder, Icon, size } = useShownFile(file)
  const sizeBytes = Number(fileSizeInBytes)
  const thumbnail = useThumbnail(cid, encryption && !isFolder && hasThumbnail(fileName, mimeType, sizeBytes))
  const isPicture = !encryption && !isBroken && mimeType?.startsWith('image/') === true && sizeBytes <= maxPictureBytes
  const { urlOf } = useContentUrl({ cidPath: cid, isPrivate: isPrivate && isPicture })
  const pictureUrl = isPicture ? urlOf() : undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list cannot be a table.
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus.
    <div
      role="gridcell"
      id={`file-${id}`}
      data-file={id}
      draggable={isDraggable}
      {...(isActive ? { 'data-active': '' } : {})}
      aria-selected={isSelected}
      className={classNames(
        'group/tile relative flex min-w-0 flex-col overflow-hidden rounded-lg border bg-surface',
        isSelected || dropResult === 'into' ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong',
        (isCut || dropResult === 'refused') && 'border-line-strong border-dashed',
        isActive &&
          'group-focus-visible/files:outline-2 group-focus-visible/files:outline-accent group-focus-visible/files:outline-offset-1',
      )}
    >
      <div className="relative grid min-h-0 flex-1 place-items-center overflow-hidden bg-sunken">
        {pictureUrl !== undefined ? (
          <img
            src={pictureUrl}
            alt=""
            loading="lazy"
            draggable={false}
            onError={() => setBroken(true)}
            className="absolute inset-0 size-full object-cover object-top"
          />
        ) : thumbnail !== undefined ? (
          <Thumbnail picture={thumbnail} />
        ) : (
          <FileMark file={file} icon={Icon} size={30} />
        )}
      </div>
      {/* With a mouse, it appears when it is needed. */}
      <label
        className={classNames(
          'absolute top-0 left-0 grid size-10 cursor-pointer place-items-center pointer-coarse:size-11',
          !isSelected &&
            'pointer-fine:opacity-0 focus-within:opacity-100 group-hover/tile:opacity-100 group-data-active/tile:opacity-100',
        )}
      >
        <span className="grid size-6 place-items-center rounded-sm bg-surface/90">
          <input
            type="checkbox"
            aria-label={messages.files.select(markControls(file.fileName))}
            checked={isSelected}
            onChange={() => onToggle(id)}
            className="size-4 accent-accent"
          />
        </span>
      </label>
      <div className="flex min-w-0 items-center gap-1 py-1.5 pr-1 pl-3">
        <div className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-1.5">
            <FileLink file={file} search={search} />
            {isCut ? <span className="sr-only">{messages.drive.isCut}</span> : undefined}
            {item === undefined ? undefined : <ItemMarks item={item} isNarrow />}
          </span>
          <p className="flex min-w-0 items-start gap-1 text-ink-soft text-xs [&>svg]:mt-0.5">
            <AccessIcon file={file} />
            {/* Half the width of a phone is too narrow for a size and an age. */}
            <span className="max-sm:line-clamp-2 sm:truncate">
              {[
                ...(dropResult === 'refused' ? [messages.drive.moveRefusedHere] : []),
                // A line ends between facts, not within an age.
                ...(isOwnFolder ? [messages.files.folder] : [size, formatAgo(createdAt).replaceAll(' ', '\u00a0')]),
                ...(place === undefined ? [] : [place]),
              ].join(factSeparator)}
            </span>
          </p>
        </div>
        <FileMenu file={file} actions={actions} />
      </div>
    </div>
  )
})

/** The thumbnail of an encrypted picture, and a lock on it. */
function Thumbnail({ picture }: { picture: Blob }) {
  const url = useObjectUrl(picture, thumbnailType)
  return (
    <>
      {url === undefined ? undefined : (
        <img src={url} alt="" draggable={false} className="absolute inset-0 size-full object-cover object-top" />
      )}
      <span className="absolute right-1.5 bottom-1.5 grid size-6 place-items-center rounded-full bg-surface/90 text-accent-ink">
        <Lock aria-hidden="true" size={14} />
      </span>
    </>
  )
}
