import type { PastRecord } from '@cairn/sdk'
import { useRef, useState } from 'react'
import { History } from '#icons'
import { formatAgo, formatDateTime, shorten } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { useTargetName } from './use-target-name.ts'

/** Rows shown initially. */
const firstRows = 50

/** Past targets of a name, newest first; each can be published again. */
export function NameHistory({
  history,
  onPublishAgain,
}: {
  history: readonly PastRecord[]
  onPublishAgain?: (value: string) => void
}) {
  const [maxRows, setMaxRows] = useState(firstRows)
  return (
    <section aria-labelledby="name-history">
      <h2 id="name-history" className="mb-2 font-semibold">
        {messages.names.history}
      </h2>
      {history.length === 0 ? (
        <p className="text-ink-soft text-sm">{messages.names.historyNone}</p>
      ) : (
        <>
          <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
            {history.slice(0, maxRows).map((record, index) => (
              <PastTarget
                key={String(record.sequence)}
                record={record}
                isCurrent={index === 0}
                onPublishAgain={onPublishAgain}
              />
            ))}
          </ol>
          {history.length > maxRows ? (
            <Button className="mt-3" onClick={() => setMaxRows(history.length)}>
              {messages.activity.older}
            </Button>
          ) : undefined}
        </>
      )}
    </section>
  )
}

/** The sequence number of a record means nothing to most users: it is in the title. */
function PastTarget({
  record: { sequence, value, publishedAt },
  isCurrent,
  onPublishAgain,
}: {
  record: PastRecord
  isCurrent: boolean
  onPublishAgain: ((value: string) => void) | undefined
}) {
  const row = useRef<HTMLLIElement>(null)
  const name = useTargetName(value, row)
  const target = shorten(value, 16, 8)
  return (
    <li ref={row} className="flex items-center gap-3 px-4 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        {name === undefined ? undefined : (
          <p className="truncate font-medium">
            <FileName name={name} />
          </p>
        )}
        <p className="truncate font-mono" title={value}>
          {target}
        </p>
        <p
          className="text-ink-soft"
          title={`${formatDateTime(publishedAt)}, ${messages.names.version(String(sequence))}`}
        >
          {formatAgo(publishedAt)}
        </p>
      </div>
      {isCurrent ? (
        <Tag tone="accent">{messages.names.historyNow}</Tag>
      ) : onPublishAgain === undefined ? undefined : (
        <IconButton
          icon={History}
          size="small"
          label={messages.names.publishAgainOf(name === undefined ? target : markControls(name))}
          onClick={() => onPublishAgain(value)}
        />
      )}
    </li>
  )
}
