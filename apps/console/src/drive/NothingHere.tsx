import { FolderOpen, SearchX, Star } from '#icons'
import { touchQuery, useMedia } from '../browser/use-media.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'

/** What a folder, the starred items or a search show without items. */
export function NothingHere({
  isFiltered,
  isStarred,
  onClear,
}: {
  isFiltered: boolean
  isStarred: boolean
  onClear: () => void
}) {
  const isTouch = useMedia(touchQuery)
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title={messages.files.nothingFits} hint={messages.files.nothingFitsHint}>
        <Button onClick={onClear}>{messages.files.clearFilters}</Button>
      </EmptyState>
    )
  }
  if (isStarred)
    return <EmptyState icon={Star} title={messages.drive.starredNone} hint={messages.drive.starredNoneHint} />
  const hint = isTouch ? messages.drive.folderEmptyHintTouch : messages.drive.folderEmptyHint
  return <EmptyState icon={FolderOpen} title={messages.drive.folderEmpty} hint={hint} />
}
