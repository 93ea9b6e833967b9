import { CopyCheck, Ellipsis, X } from '#icons'
import { plainSizeText } from '../content/plain-size.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ButtonMenu, type MenuItem } from '../ui/Menu.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'

/** Actions on all selected files: the first as buttons, the others in a menu. */
export function BulkBar({
  files,
  count = files.length,
  loading,
  actions,
  more = [],
  total = 0,
  onSelectAll,
  onClear,
}: {
  files: Parameters<typeof plainSizeText>[0]
  /** Number of selected items, if not all of them are files with a size. */
  count?: number
  /** How many are going to be selected, while they are fetched. */
  loading?: number | undefined
  actions: readonly MenuItem[]
  more?: readonly MenuItem[]
  /** Number of items in the list, and how to select all of them: with a finger there is no key for it. */
  total?: number
  onSelectAll?: () => void
  onClear: () => void
}) {
  const others: readonly MenuItem[] =
    onSelectAll === undefined || total <= count || loading !== undefined
      ? more
      : [{ id: 'all', label: messages.drive.selectAll(total), icon: CopyCheck, run: onSelectAll }, ...more]
  return (
    <>
      {/* The last row can be scrolled out from under the bar. */}
      <div className="h-14 shrink-0" />
      <section
        aria-label={messages.files.bulk}
        data-bulk-bar
        className="print:hidden! fixed right-[calc(0.75rem+var(--transfers-beside,0px))] bottom-[calc(4.5rem+env(safe-area-inset-bottom)+var(--transfers-below,0px))] left-3 z-20 mr-[var(--transfers-margin,auto)] ml-auto flex w-fit max-w-[calc(100%-1.5rem-var(--transfers-beside,0px))] animate-rise items-center gap-1.5 rounded-xl border border-line bg-raised py-2 pr-2 pl-4 shadow-float sm:gap-3 md:bottom-[calc(1.25rem+var(--transfers-below,0px))]"
      >
        <p role="status" className="min-w-0 text-sm">
          <span className="flex items-center gap-2 font-medium">
            {loading === undefined ? undefined : <Spinner />}
            {loading === undefined ? messages.files.selected(count) : messages.files.selecting(count, loading)}
          </span>
          {files.length === 0 ? undefined : (
            <span className="text-ink-soft tabular max-sm:hidden">{plainSizeText(files)}</span>
          )}
        </p>
        {actions.map(({ id, label, icon: Icon, isDanger = false, run }) => (
          <Button
            key={id}
            size="small"
            title={label}
            className={isDanger ? 'text-bad' : ''}
            disabled={loading !== undefined}
            onClick={run}
          >
            <Icon aria-hidden="true" size={15} />
            <span className="max-sm:sr-only">{label}</span>
          </Button>
        ))}
        {others.length === 0 ? undefined : (
          <ButtonMenu items={others} label={messages.drive.moreActions}>
            <IconButton icon={Ellipsis} size="small" label={messages.drive.moreActions} />
          </ButtonMenu>
        )}
        <IconButton icon={X} size="small" label={messages.files.clearSelection} onClick={onClear} />
      </section>
    </>
  )
}
