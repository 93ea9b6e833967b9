import type { DriveFile } from '@cairn/sdk'
import { Link, useSearch } from '@tanstack/react-router'
import { History } from '#icons'
import { plainSizeText } from '../content/plain-size.ts'
import { formatAgo, formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { Tag } from '../ui/values/Tag.tsx'

/** The versions of a file: who can open each, which may differ; each can be opened, and made the current one. */
export function VersionsDialog({
  item,
  onUse,
  onClose,
}: {
  item: DriveFile
  onUse: (cid: string) => void
  onClose: () => void
}) {
  const search = useSearch({ from: '/files' })
  return (
    <Modal isOpen onClose={onClose} title={messages.drive.versionsTitle(item.name)} hint={messages.drive.versionsHint}>
      <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {item.versions.map(({ cid, sizeBytes, isEncrypted, isPrivate, at }, index) => (
          <li key={cid} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5">
            <div className="min-w-0 flex-1 basis-40">
              <p className="flex items-center gap-2 font-medium text-sm">
                <time dateTime={new Date(at).toISOString()}>{formatAgo(at)}</time>
                {index === 0 ? <Tag tone="accent">{messages.drive.versionCurrent}</Tag> : undefined}
              </p>
              <p className="text-ink-soft text-sm tabular">
                {/* Of one minute, only the time tells them apart. */}
                {formatDateTime(at)} · {plainSizeText([{ sizeBytes, isEncrypted }])} ·{' '}
                {messages.upload[isEncrypted ? 'encrypted' : isPrivate ? 'private' : 'public']}
              </p>
            </div>
            <Link
              to="/files/$cid"
              params={{ cid }}
              search={search}
              onClick={onClose}
              className={buttonClass('quiet', 'small')}
            >
              {messages.drive.versionOpen}
            </Link>
            {index === 0 ? undefined : (
              <Button size="small" onClick={() => onUse(cid)}>
                <History aria-hidden="true" size={15} />
                {messages.drive.versionUse}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Modal>
  )
}
