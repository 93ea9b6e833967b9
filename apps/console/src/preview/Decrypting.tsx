import type { Progress } from '@cairn/sdk'
import { KeyRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'

/** Progress of a decryption, with a button that stops it. */
export function Decrypting({
  progress,
  waiting = messages.preview.keys,
  onCancel,
}: {
  progress: Progress | undefined
  /** Text until the first bytes arrive. */
  waiting?: string
  onCancel: () => void
}) {
  const total = progress?.total
  const value = progress === undefined || total === undefined || total === 0 ? undefined : progress.bytes / total
  const text =
    progress === undefined
      ? waiting
      : total !== undefined && progress.bytes < total
        ? messages.preview.receiving(progress.bytes, total)
        : messages.preview.decrypting
  return (
    <div className="flex flex-col gap-3 rounded-lg bg-sunken px-4 py-8">
      <p className="flex items-center gap-2 text-sm">
        <KeyRound aria-hidden="true" size={16} className="shrink-0 text-ink-soft" />
        {text}
      </p>
      <ProgressBar label={messages.preview.progress} value={value} />
      <div>
        <Button size="small" onClick={onCancel}>
          {messages.preview.cancelDecrypt}
        </Button>
      </div>
    </div>
  )
}
