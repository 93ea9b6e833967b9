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
import { shownKeyName } from '../api-keys/shown-key-name.ts'
import { shorten } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { sessionKeyName } from '../session/session-key-name.ts'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { ActivityRow, subjectLink } from './ActivityRow.tsx'
import { isKnown } from './event-groups.ts'
import { describeEventReason } from './event-reason.ts'
import { StoredText } from './StoredText.tsx'

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

type OtherType = Exclude<EventType, 'upload.stored'>

/** Describes an event. The console created the API keys of its sessions, which users know as signing in and out. */
function describe(type: OtherType, name: string | undefined, data: AccountEvent['data']): string {
  if (name === sessionKeyName && type === 'api_key.created') {
    return messages.activity.signedIn(Number(data['expiresAt'] ?? 0))
  }
  if (name === sessionKeyName && type === 'api_key.revoked') return messages.activity.sessionEnded
  if (type === 'pin.failed' || type === 'webhook.disabled') {
    return messages.activity.describe(type, { ...data, reason: describeEventReason(data) })
  }
  const isOfKey = type === 'api_key.created' || type === 'api_key.revoked'
  return messages.activity.describe(type, isOfKey && name ? { ...data, name: shownKeyName(name) } : data)
}

/** The link to the name that was published, or to the receipt of a payment. */
function EventSubject({ type, data }: Pick<AccountEvent, 'type' | 'data'>) {
  if (type === 'name.published') {
    const key = String(data['name'])
    return (
      <Link to="/names/$key" params={{ key }} title={key} className={subjectLink}>
        {shorten(key, 12, 8)}
      </Link>
    )
  }
  if (type !== 'payment.credited') return undefined
  return (
    <Link to="/billing/receipts/$id" params={{ id: String(data['paymentId']) }} className={subjectLink}>
      {messages.billing.receipt}
    </Link>
  )
}

/** One event of the storage service. @param count how often it happened in a row */
export function EventRow({ event: { type, timestamp, data }, count = 1 }: { event: AccountEvent; count?: number }) {
  const subject = typeof data['cid'] === 'string' ? data['cid'] : undefined
  const cid = type === 'upload.deleted' || type === 'pin.failed' ? undefined : subject
  const name = typeof data['name'] === 'string' ? data['name'] : undefined
  const text = !isKnown(type) ? (
    messages.activity.other(type)
  ) : type === 'upload.stored' ? (
    <StoredText cid={cid ?? ''} data={data} />
  ) : type === 'pin.failed' ? (
    // It is not stored here, so there is nothing to open.
    <>
      {markControls(describe(type, name, data))} <ShortCode text={subject ?? ''} label={messages.files.copyCid} />
    </>
  ) : (
    messages.activity.repeated(markControls(describe(type, name, data)), count)
  )
  return (
    <ActivityRow
      icon={isKnown(type) ? icons[type] : Bell}
      at={Date.parse(timestamp)}
      cid={cid}
      name={name}
      subject={<EventSubject type={type} data={data} />}
    >
      {text}
    </ActivityRow>
  )
}
