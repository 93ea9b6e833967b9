import { shorten } from '../words/format.ts'
import { words } from '../words/words.ts'
import { CopyButton } from './CopyButton.tsx'

/** A CID or an address: short to see, whole to hear, to hover over and to copy. */
export function ShortCode({ text, label }: { text: string; label?: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <span title={text} className="whitespace-nowrap font-mono text-ink-soft text-sm">
        <span aria-hidden="true">{shorten(text)}</span>
        <span className="sr-only">{text}</span>
      </span>
      <CopyButton text={text} size="small" label={label ?? words.shell.copy} />
    </span>
  )
}
