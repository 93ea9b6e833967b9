import type { PastRecord } from '@cairn/sdk'
import { History } from '#icons'
import { formatAgo, formatDateTime, shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { Tag } from '../ui/Tag.tsx'

/** Past targets of a name, newest first; each can be published again. */
export function NameHistory({
  history,
  onPublishAgain,
}: {
  history: readonly PastRecord[]
  onPublishAgain?: (value: string) => void
}) {
  return (
    <section aria-labelledby="name-history">
      <h2 id="name-history" className="mb-2 font-semibold">
        {messages.names.history}
      </h2>
      {history.length === 0 ? (
        <p className="text-ink-soft text-sm">{messages.names.historyNone}</p>
      ) : (
        <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
          {history.map(({ sequence, value, publishedAt }, index) => (
            <li key={String(sequence)} className="flex items-center gap-3 px-4 py-2.5 text-sm">
              <div className="min-w-0 flex-1">
                <p className="truncate font-mono" title={value}>
                  {shorten(value, 16, 8)}
                </p>
                <p className="text-ink-soft" title={formatDateTime(publishedAt)}>
                  {formatAgo(publishedAt)} · {messages.names.version(String(sequence))}
                </p>
              </div>
              {index === 0 ? (
                <Tag tone="accent">{messages.names.historyNow}</Tag>
              ) : onPublishAgain === undefined ? undefined : (
                <IconButton
                  icon={History}
                  size="small"
                  label={messages.names.publishAgainOf(String(sequence))}
                  onClick={() => onPublishAgain(value)}
                />
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
