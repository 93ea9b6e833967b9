import type { FileEntry } from '@cairn/sdk'
import { Copy, Trash2, X } from '#icons'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { toastDone } from '../../ui/toast-store.ts'
import { formatBytes } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** What can be done with all that is selected. */
export function BulkBar({
  files,
  onClear,
  onDelete,
}: {
  files: readonly FileEntry[]
  onClear: () => void
  onDelete: () => void
}) {
  const sizeBytes = files.reduce((sum, file) => sum + Number(file.fileSizeInBytes), 0)
  const copyAll = async () => {
    await navigator.clipboard.writeText(files.map(({ cid }) => cid).join('\n'))
    toastDone(words.files.cidsCopied(files.length))
  }
  return (
    <section
      aria-label={words.files.bulk}
      className="fixed inset-x-3 bottom-18 z-20 mx-auto flex w-fit max-w-[calc(100%-1.5rem)] animate-rise items-center gap-2 rounded-xl border border-line bg-raised py-2 pr-2 pl-4 shadow-float sm:gap-3 md:bottom-5"
    >
      <p role="status" className="min-w-0 text-sm">
        <span className="font-medium">{words.files.selected(files.length)}</span>{' '}
        <span className="text-ink-soft tabular max-sm:hidden">{formatBytes(sizeBytes)}</span>
      </p>
      <Button size="small" onClick={() => void copyAll()}>
        <Copy aria-hidden="true" size={15} />
        <span className="max-sm:sr-only">{words.files.copyCid}</span>
      </Button>
      <Button size="small" className="text-bad" onClick={onDelete}>
        <Trash2 aria-hidden="true" size={15} />
        <span className="max-sm:sr-only">{words.files.delete}</span>
      </Button>
      <IconButton icon={X} size="small" label={words.files.clearSelection} onClick={onClear} />
    </section>
  )
}
