import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, use, useRef } from 'react'
import { type IconComponent, TriangleAlert } from '#icons'
import { useCameInSight } from '../browser/use-came-in-sight.ts'
import { useFileInfo } from '../content/use-file-info.ts'
import { formatAgo, formatDateTime } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'

/** Whether a row came into view. Requests about its file wait until then, because a page has hundreds of rows. */
export const RowInSight = createContext(false)

/** The link of a row to what its event is about. */
export const subjectLink =
  'block truncate pointer-coarse:-mb-2.5 pointer-coarse:py-3 py-0.5 text-accent-ink text-sm underline-offset-2 hover:underline'

/** The frame of one line of the activity: what happened, to which file, when. */
export function ActivityRow({
  icon: Icon,
  at,
  cid,
  name,
  subject,
  children,
}: {
  icon: IconComponent
  at: number
  cid?: string | undefined
  /** The name of the file, if the event has it. */
  name?: string | undefined
  /** A link to what is no file. */
  subject?: ReactNode
  children: ReactNode
}) {
  const row = useRef<HTMLLIElement>(null)
  const isInSight = useCameInSight(row)
  return (
    <li ref={row} className="flex items-start gap-3 px-3 py-2.5 sm:px-4">
      <Icon
        aria-hidden="true"
        size={18}
        strokeWidth={1.8}
        className={`mt-0.5 shrink-0 ${Icon === TriangleAlert ? 'text-warn' : 'text-ink-faint'}`}
      />
      <div className="min-w-0 flex-1">
        <RowInSight value={isInSight}>
          <p className="break-words text-sm">{children}</p>
          {cid === undefined ? undefined : <EventFile cid={cid} name={name} />}
          {subject}
        </RowInSight>
      </div>
      <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)} className="shrink-0 text-ink-soft text-sm">
        {formatAgo(at)}
      </time>
    </li>
  )
}

/** The file of an event, by the name that the event has or that the service knows. */
function EventFile({ cid, name }: { cid: string; name: string | undefined }) {
  const isInSight = use(RowInSight)
  const { data } = useFileInfo(name === undefined && isInSight ? cid : '')
  const shown = name ?? data?.fileName
  return (
    <Link to="/files/$cid" params={{ cid }} className={subjectLink} title={cid}>
      <bdi>{shown === undefined || shown === '' ? messages.activity.openFile : markControls(shown)}</bdi>
    </Link>
  )
}
