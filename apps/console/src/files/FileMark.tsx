import type { DriveItem } from '@cairn/sdk'
import { type IconComponent, Lock, Star, UserRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { accents } from '../theme/settings.ts'
import { classNames } from '../ui/class-names.ts'
import { driveFolderType, type ListedFile } from './listed-file.ts'

/** The icon of a row: in the colour that the owner gave it. */
export function FileMark({ file, icon: Icon, size }: { file: ListedFile; icon: IconComponent; size: number }) {
  const { item, encryption, mimeType } = file
  const colour = accents.find((accent) => accent === item?.colour)
  const isFolder = mimeType === driveFolderType
  return (
    <span {...(colour === undefined ? {} : { 'data-accent': colour })} className="contents">
      <Icon
        aria-hidden="true"
        size={size}
        strokeWidth={size > 20 ? 1.4 : 1.7}
        className={classNames(
          'shrink-0',
          colour !== undefined ? 'text-accent' : encryption ? 'text-accent-ink' : 'text-ink-faint',
          isFolder && 'fill-current/15',
        )}
      />
    </span>
  )
}

/** Who can open a file, where there is no space for words; nothing for a public one. */
export function AccessIcon({ file: { encryption, private: isPrivate } }: { file: ListedFile }) {
  const { encrypted, private: onlyOwner } = messages.files.access
  if (encryption) return <Lock aria-label={encrypted} size={12} className="shrink-0" />
  return isPrivate === true ? <UserRound aria-label={onlyOwner} size={12} className="shrink-0" /> : undefined
}

/** Star and tags of an item, and how many versions it has; on a phone, tags have their place in the second line. */
export function ItemMarks({ item, isNarrow }: { item: DriveItem; isNarrow: boolean }) {
  const { isStarred } = item
  const versionCount = item.kind === 'file' ? item.versions.length : 1
  return (
    <>
      {isStarred ? (
        <Star aria-label={messages.drive.starred} size={14} className="shrink-0 fill-current text-warn" />
      ) : undefined}
      {isNarrow ? undefined : (
        <>
          <ItemTags tags={item.tags} />
          {versionCount > 1 ? (
            <span className="shrink-0 text-ink-faint text-xs tabular">{messages.drive.versionCount(versionCount)}</span>
          ) : undefined}
        </>
      )}
    </>
  )
}

/** The first tag of an item, and the number of others. */
export function ItemTags({ tags: [first, ...others] }: Pick<DriveItem, 'tags'>) {
  if (first === undefined) return undefined
  return (
    // Names, sizes and dates are cut only when it cannot be narrower.
    <span className="flex min-w-16 shrink-[99999] rounded-sm bg-sunken px-1.5 text-ink-soft text-xs leading-5">
      <span className="max-w-26 truncate">{first}</span>
      {others.length === 0 ? undefined : <span className="shrink-0 whitespace-pre">{` +${others.length}`}</span>}
    </span>
  )
}
