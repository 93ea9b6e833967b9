import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'

/** A checkbox for all items, in between while only some are selected. */
export function SelectAll({
  count,
  selectedCount,
  onChange,
  isBare = false,
}: {
  count: number
  selectedCount: number
  onChange: (areAll: boolean) => void
  /** In the head of a list, where its place says what it is for. */
  isBare?: boolean
}) {
  const areAll = selectedCount === count
  const text = messages.drive.selectAll(count)
  return (
    <label
      title={isBare ? text : undefined}
      className={classNames(
        'flex cursor-pointer items-center text-ink-soft text-sm',
        isBare
          ? '-m-2 size-10 justify-center pointer-coarse:size-11'
          : 'h-10 w-fit gap-3 px-1 sm:px-3 pointer-coarse:h-11',
      )}
    >
      <input
        type="checkbox"
        aria-label={isBare ? text : undefined}
        ref={(box) => {
          if (box !== null) box.indeterminate = selectedCount > 0 && !areAll
        }}
        checked={areAll}
        onChange={() => onChange(!areAll)}
        className="size-4 accent-accent"
      />
      {isBare ? undefined : text}
    </label>
  )
}
