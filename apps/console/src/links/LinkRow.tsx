import type { ReactNode, Ref } from 'react'
import { factSeparator, formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'

/** A link in a list: its label and state, its facts in one line, and how to revoke it. */
export function LinkRow({
  ref,
  label,
  tags,
  facts,
  expiresAt,
  onRevoke,
  children,
}: {
  ref?: Ref<HTMLLIElement>
  label: string
  tags: ReactNode
  facts: readonly string[]
  expiresAt: number
  /** Absent for a link that has ended. */
  onRevoke?: (() => void) | undefined
  /** The file or folder of the link. */
  children?: ReactNode
}) {
  return (
    <li ref={ref} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium text-sm">
          <bdi className="min-w-0 break-words">{label}</bdi>
          {tags}
        </p>
        {children}
        <p className="text-ink-soft text-sm tabular" title={formatDateTime(expiresAt)}>
          {facts.join(factSeparator)}
        </p>
      </div>
      {onRevoke === undefined ? undefined : (
        <Button size="small" onClick={onRevoke}>
          {messages.links.revoke} <span className="sr-only">{label}</span>
        </Button>
      )}
    </li>
  )
}
