import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { History } from '#icons'
import { useOwnFile } from '../drive-index/own-files.ts'
import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { useFileTools } from './file-tools.ts'

/** States that an open file is an earlier version, with buttons that make it the current one or open that. */
export function EarlierVersion({ cid }: { cid: string }) {
  const file = useOwnFile(cid)
  const tools = useFileTools()
  const search = useSearch({ from: '/files' })
  const [isBusy, setBusy] = useState(false)
  const version = file?.versions.find((one) => one.cid === cid)
  if (file === undefined || version === undefined || file.cid === cid || tools === undefined) return undefined
  const apply = async () => {
    setBusy(true)
    await tools.applyVersion(file.id, cid)
    setBusy(false)
  }
  return (
    <section
      aria-label={messages.drive.versions}
      className="mb-4 flex flex-wrap items-center gap-2 rounded-lg bg-warn-soft px-3 py-2 text-sm"
    >
      <p className="min-w-0 flex-1 basis-48 text-warn">{messages.drive.earlierVersion(formatDateTime(version.at))}</p>
      <span className="flex flex-wrap gap-2">
        <Link
          to="/files/$cid"
          params={{ cid: file.cid }}
          search={search}
          replace
          className={buttonClass('plain', 'small')}
        >
          {messages.drive.openCurrent}
        </Link>
        <Button size="small" isBusy={isBusy} onClick={() => void apply()}>
          <History aria-hidden="true" size={15} />
          {messages.drive.versionUse}
        </Button>
      </span>
    </section>
  )
}
