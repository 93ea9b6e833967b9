import type { AccountEvent, EventType } from '@cairn/protocol'
import { formatBytes, formatCount, formatDateTime } from '../format.ts'
import { translatable } from '../translatable.ts'
import { counted, plural } from './plural.ts'

type Data = AccountEvent['data']
/** Who can read what was stored. */
type Access = 'public' | 'private' | 'encrypted'

/** A value of an event as text. */
const text = (data: Data, field: string) => String(data[field] ?? '')
const bytes = (data: Data, field: string) => formatBytes(Number(data[field] ?? 0))
const times = (count: number) => plural(count, { one: 'once', other: `${formatCount(count)} times` })
const files = (count: number) => counted(count, { one: 'file', other: 'files' })
/** What was stored, and its size as people know it. */
type StoredContent = { access: Access; isFolder: boolean; size: string }

const storedNames: Record<Access, [file: string, folder: string]> = {
  public: ['File', 'Folder'],
  private: ['Private file', 'Private folder'],
  encrypted: ['Encrypted file', 'Encrypted folder'],
}

/** A row of the activity says what was stored, because that takes more than the event. */
type OtherType = Exclude<EventType, 'upload.stored'>

const sentences: Record<OtherType, (data: Data) => string> = {
  'upload.deleted': (data) => `${text(data, 'name')} deleted, ${bytes(data, 'sizeBytes')} of storage freed`,
  'pin.pinned': () => 'Pin stored',
  'pin.failed': (data) => `Pin failed. ${text(data, 'reason')}`,
  'name.published': () => 'Name published',
  'link.created': (data) => `Link created, opens ${times(Number(data['maxOpens'] ?? 0))}`,
  'link.opened': (data) => `A link was opened, ${times(Number(data['opens'] ?? 0))} so far`,
  'link.revoked': () => 'Link revoked',
  'upload_link.created': (data) => `Upload link created for ${files(Number(data['maxUploads'] ?? 0))}`,
  'upload_link.used': (data) => `File received through an upload link, ${bytes(data, 'sizeBytes')}`,
  'upload_link.revoked': () => 'Upload link revoked',
  'payment.credited': (data) => `Payment credited: ${bytes(data, 'bytes')} of storage`,
  'deal.active': (data) => `Provider ${text(data, 'provider')} proved that it stores your files`,
  'deal.lost': (data) => `Provider ${text(data, 'provider')} no longer stores a copy of your files`,
  'proof.missed': (data) => `Provider ${text(data, 'provider')} did not answer a check, which will be repeated`,
  'proof.resumed': (data) => `Provider ${text(data, 'provider')} answered the check`,
  'api_key.created': (data) =>
    `API key ${text(data, 'name')} created${
      data['expiresAt'] === null ? ', never expires' : `, expires ${formatDateTime(Number(data['expiresAt'] ?? 0))}`
    }`,
  // Older events have no name.
  'api_key.revoked': (data) => (data['name'] ? `API key ${text(data, 'name')} revoked` : 'API key revoked'),
  's3_key.created': () => 'Access key for S3 created',
  'webhook.created': (data) => `Webhook to ${text(data, 'host')} created`,
  'webhook.removed': (data) => `Webhook to ${text(data, 'host')} removed`,
  'webhook.disabled': (data) => `Webhook to ${text(data, 'host')} disabled. ${text(data, 'reason')}`,
}

/** An event of the key nodes: who caused it, and the address or the number of addresses that it concerns. */
type KeyFacts = { who: string; others: string | number; count: number }

const named = (others: string | number) =>
  typeof others === 'string' ? others : counted(others, { one: 'address', other: 'addresses' })

/** What happened in an account, and the bell. */
export const activity = translatable('activity', {
  hint: 'What happened in your account, newest first.',
  filter: 'Show',
  groups: {
    all: 'All',
    files: 'Files',
    sharing: 'Sharing',
    payments: 'Payments',
    proofs: 'Proofs',
    account: 'Keys',
  },
  stored: ({ access, isFolder, size }: StoredContent) => `${storedNames[access][isFolder ? 1 : 0]} stored, ${size}`,
  describe: (type: OtherType, data: Data) => sentences[type](data).trim(),
  /** @param text of an event that happened this often in a row */
  repeated: (text: string, count: number) => (count === 1 ? text : `${text}, ${times(count)}`),
  failingSince: (time: string) => `No delivery succeeded since ${time}`,
  /** The console makes an API key for each session, and revokes it when it ends: the user signed out, or revoked it elsewhere. */
  signedIn: (expiresAt: number) => `Signed in to the console, until ${formatDateTime(expiresAt)}`,
  sessionEnded: 'Console session ended',
  describeKey: {
    opened: ({ who, count }: KeyFacts) => `Opened by ${who}${count === 1 ? '' : `, ${times(count)}`}`,
    denied: ({ who, count }: KeyFacts) => `Access denied to ${who}${count === 1 ? '' : `, ${times(count)}`}`,
    save: (): string => 'File key saved',
    share: ({ others }: KeyFacts) => `Shared with ${named(others)}`,
    revoke: ({ others }: KeyFacts) => `Access revoked from ${named(others)}`,
    transfer: ({ others }: KeyFacts) => `Transferred to ${named(others)}`,
    conditions: (): string => 'Conditions changed',
    retire: (): string => 'File key retired',
    repair: (): string => 'File key repaired',
  },
  notOpened: 'No other wallet has opened it, and it was not shared with one.',
  unconfirmed: (nodes: number) => `(reported by ${formatCount(nodes)} of 5 key nodes)`,
  connect: 'Connect key nodes',
  connectHint: 'See who opened your encrypted files. Your wallet signs once.',
  keyNodesFailed: 'The key nodes are not responding, so this list does not show who shared or opened encrypted files.',
  other: (type: string) => type,
  openFile: 'Open the file',
  older: 'Show older',
  none: 'Nothing happened yet',
  noneHint: 'Uploads, sharing, opened files, payments and proofs appear here.',
  export: 'Export signed log',
  exportFailed: 'The log was not exported',
  bell: (unread: number) => (unread === 0 ? 'Notifications' : `Notifications, ${formatCount(unread)} unread`),
  notifications: 'Notifications',
  notificationsHint: 'What others did, and what needs your attention.',
  noNews: 'No notifications',
  noNewsHint: 'Opened files and links, received files, payments and missed proofs appear here.',
  showAll: 'Show all activity',
})
