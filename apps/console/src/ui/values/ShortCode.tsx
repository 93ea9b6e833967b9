import { shorten } from '../../messages/format.ts'
import { messages } from '../../messages/messages.ts'
import { CopyButton } from './CopyButton.tsx'

/** A CID or an address: shortened visually, complete for screen readers, on hover and when copied. */
export function ShortCode({ text, label }: { text: string; label?: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <span title={text} className="whitespace-nowrap font-mono text-ink-soft text-sm">
        <span aria-hidden="true">{shorten(text)}</span>
        <span className="sr-only">{text}</span>
      </span>
      <CopyButton text={text} size="small" label={label ?? messages.shell.copy} />
    </span>
  )
}
