import type { FileEntry } from '@cairn/sdk'
import { Copy, Trash2, X } from '#icons'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { toastDone } from '../ui/toast-store.ts'

/** Actions on all selected files. */
export function BulkBar({
  files,
  loading,
  onClear,
  onDelete,
}: {
  files: readonly FileEntry[]
  /** How many are going to be selected, while they are fetched. */
  loading: number | undefined
  onClear: () => void
  onDelete: () => void
}) {
  const sizeBytes = files.reduce((sum, file) => sum + Number(file.fileSizeInBytes), 0)
  const copyAll = async () => {
    await navigator.clipboard.writeText(files.map(({ cid }) => cid).join('\n'))
    toastDone(messages.files.cidsCopied(files.length))
  }
  return (
    <section
      aria-label={messages.files.bulk}
      className="fixed inset-x-3 bottom-18 z-20 mx-auto flex w-fit max-w-[calc(100%-1.5rem)] animate-rise items-center gap-2 rounded-xl border border-line bg-raised py-2 pr-2 pl-4 shadow-float sm:gap-3 md:bottom-5"
    >
      <p role="status" className="min-w-0 text-sm">
        <span className="flex items-center gap-2 font-medium">
          {loading === undefined ? undefined : <Spinner />}
          {loading === undefined
            ? messages.files.selected(files.length)
            : messages.files.selecting(files.length, loading)}
        </span>
        <span className="text-ink-soft tabular max-sm:hidden">{formatBytes(sizeBytes)}</span>
      </p>
      <Button size="small" disabled={loading !== undefined} onClick={() => void copyAll()}>
        <Copy aria-hidden="true" size={15} />
        <span className="max-sm:sr-only">{messages.files.copyCid}</span>
      </Button>
      <Button size="small" className="text-bad" disabled={loading !== undefined} onClick={onDelete}>
        <Trash2 aria-hidden="true" size={15} />
        <span className="max-sm:sr-only">{messages.files.delete}</span>
      </Button>
      <IconButton icon={X} size="small" label={messages.files.clearSelection} onClick={onClear} />
    </section>
  )
}
