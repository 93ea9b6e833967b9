import type { AccountEvent, EventType } from '@cairn/protocol'
import { Link } from '@tanstack/react-router'
import {
  Bell,
  Blocks,
  FileX,
  Globe,
  type IconComponent,
  Inbox,
  KeyRound,
  Link2,
  Pin,
  Receipt,
  Signpost,
  TriangleAlert,
  Upload,
} from '#icons'
import { useFileInfo } from '../content/use-file-info.ts'
import { formatAgo, formatDateTime } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { isKnown } from './event-groups.ts'

const icons: Record<EventType, IconComponent> = {
  'upload.stored': Upload,
  'upload.deleted': FileX,
  'pin.pinned': Pin,
  'pin.failed': TriangleAlert,
  'name.published': Signpost,
  'link.created': Link2,
  'link.opened': Link2,
  'link.revoked': Link2,
  'upload_link.created': Inbox,
  'upload_link.used': Inbox,
  'upload_link.revoked': Inbox,
  'payment.credited': Receipt,
  'deal.active': Blocks,
  'deal.lost': TriangleAlert,
  'proof.missed': TriangleAlert,
  'proof.resumed': Blocks,
  'api_key.created': KeyRound,
  'api_key.revoked': KeyRound,
  's3_key.created': KeyRound,
  'webhook.created': Globe,
  'webhook.removed': Globe,
  'webhook.disabled': TriangleAlert,
}

/** One event: what happened, to which file, when. */
export function EventRow({ event }: { event: AccountEvent }) {
  const { type, timestamp, data } = event
  const at = Date.parse(timestamp)
  const Icon = isKnown(type) ? icons[type] : Bell
  const cid = type === 'upload.deleted' || typeof data['cid'] !== 'string' ? undefined : data['cid']
  return (
    <li className="flex items-start gap-3 px-3 py-2.5 sm:px-4">
      <Icon
        aria-hidden="true"
        size={18}
        strokeWidth={1.8}
        className={`mt-0.5 shrink-0 ${Icon === TriangleAlert ? 'text-warn' : 'text-ink-faint'}`}
      />
      <div className="min-w-0 flex-1">
        <p className="break-words text-sm">
          {isKnown(type) ? markControls(messages.activity.describe(type, data)) : messages.activity.other(type)}
        </p>
        {cid === undefined ? undefined : <EventFile cid={cid} name={data['name']} />}
      </div>
      <time dateTime={timestamp} title={formatDateTime(at)} className="shrink-0 text-ink-soft text-sm">
        {formatAgo(at)}
      </time>
    </li>
  )
}

/** The file of an event, by the name that the event has or that the service knows. */
function EventFile({ cid, name }: { cid: string; name: unknown }) {
  const own = typeof name === 'string' ? name : undefined
  const { data } = useFileInfo(own === undefined ? cid : '')
  const shown = own ?? data?.fileName
  return (
    <Link
      to="/files/$cid"
      params={{ cid }}
      className="block truncate text-accent-ink text-sm underline-offset-2 hover:underline"
      title={cid}
    >
      <bdi>{shown === undefined || shown === '' ? messages.activity.openFile : markControls(shown)}</bdi>
    </Link>
  )
}
