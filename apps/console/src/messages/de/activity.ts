import type { AccountEvent, EventType } from '@cairn/protocol'
import { formatBytes, formatCount, formatDateTime } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted, plural } from './plural.ts'

type Data = AccountEvent['data']
/** Who can read what was stored. */
type Access = 'public' | 'private' | 'encrypted'

/** A value of an event as text. */
const text = (data: Data, field: string) => String(data[field] ?? '')
const bytes = (data: Data, field: string) => formatBytes(Number(data[field] ?? 0))
const times = (count: number) => plural(count, { one: 'einmal', other: `${formatCount(count)}-mal` })
const files = (count: number) => counted(count, { one: 'Datei', other: 'Dateien' })

const storedNames: Record<Access, [file: string, folder: string]> = {
  public: ['Datei', 'Ordner'],
  private: ['Private Datei', 'Privater Ordner'],
  encrypted: ['Verschlüsselte Datei', 'Verschlüsselter Ordner'],
}

const sentences: Record<Exclude<EventType, 'upload.stored'>, (data: Data) => string> = {
  'upload.deleted': (data) => `${text(data, 'name')} gelöscht, ${bytes(data, 'sizeBytes')} Speicherplatz wieder frei`,
  'pin.pinned': () => 'Pin gespeichert',
  'pin.failed': (data) => `Pin fehlgeschlagen. ${text(data, 'reason')}`,
  'name.published': () => 'Name veröffentlicht',
  'link.created': (data) => `Link erstellt, ${times(Number(data['maxOpens'] ?? 0))} abrufbar`,
  'link.opened': (data) => `Link geöffnet, bisher ${times(Number(data['opens'] ?? 0))}`,
  'link.revoked': () => 'Link widerrufen',
  'upload_link.created': (data) => `Upload-Link für ${files(Number(data['maxUploads'] ?? 0))} erstellt`,
  'upload_link.used': (data) => `Datei über einen Upload-Link empfangen, ${bytes(data, 'sizeBytes')}`,
  'upload_link.revoked': () => 'Upload-Link widerrufen',
  'payment.credited': (data) => `Zahlung gutgeschrieben: ${bytes(data, 'bytes')} Speicherplatz`,
  'deal.active': (data) => `Anbieter ${text(data, 'provider')} hat nachgewiesen, dass er die Dateien speichert`,
  'deal.lost': (data) => `Anbieter ${text(data, 'provider')} speichert keine Kopie der Dateien mehr`,
  'proof.missed': (data) =>
    `Anbieter ${text(data, 'provider')} hat auf eine Stichprobe nicht geantwortet; sie wird wiederholt`,
  'proof.resumed': (data) => `Anbieter ${text(data, 'provider')} hat auf die Stichprobe geantwortet`,
  'api_key.created': (data) =>
    `API-Schlüssel ${text(data, 'name')} erstellt, ${
      data['expiresAt'] === null ? 'läuft nie ab' : `gültig bis ${formatDateTime(Number(data['expiresAt'] ?? 0))}`
    }`,
  'api_key.revoked': (data) =>
    data['name'] ? `API-Schlüssel ${text(data, 'name')} widerrufen` : 'API-Schlüssel widerrufen',
  's3_key.created': () => 'Zugriffsschlüssel für S3 erstellt',
  'webhook.created': (data) => `Webhook an ${text(data, 'host')} erstellt`,
  'webhook.removed': (data) => `Webhook an ${text(data, 'host')} entfernt`,
  'webhook.disabled': (data) => `Webhook an ${text(data, 'host')} abgeschaltet. ${text(data, 'reason')}`,
}

const named = (others: string | number) =>
  typeof others === 'string' ? others : counted(others, { one: 'Adresse', other: 'Adressen' })

/** What happened in an account, and the bell. */
export const activity: Texts['activity'] = {
  hint: 'Aktivitäten in diesem Konto, die neuesten zuerst.',
  filter: 'Anzeigen',
  groups: {
    all: 'Alle',
    files: 'Dateien',
    sharing: 'Freigaben',
    payments: 'Zahlungen',
    proofs: 'Nachweise',
    account: 'Schlüssel',
  },
  stored: ({ access, isFolder, size }) => `${storedNames[access][isFolder ? 1 : 0]} gespeichert, ${size}`,
  describe: (type, data) => sentences[type](data).trim(),
  repeated: (text, count) => (count === 1 ? text : `${text}, ${times(count)}`),
  failingSince: (time) => `Seit ${time} war keine Zustellung erfolgreich`,
  signedIn: (expiresAt) => `In der Konsole angemeldet, bis ${formatDateTime(expiresAt)}`,
  sessionEnded: 'Konsolensitzung beendet',
  describeKey: {
    opened: ({ who, count }) => `Geöffnet von ${who}${count === 1 ? '' : `, ${times(count)}`}`,
    denied: ({ who, count }) => `Zugriff verweigert für ${who}${count === 1 ? '' : `, ${times(count)}`}`,
    save: () => 'Dateischlüssel gespeichert',
    share: ({ others }) => `Freigegeben für ${named(others)}`,
    revoke: ({ others }) => `Zugriff entzogen: ${named(others)}`,
    transfer: ({ others }) => `Übertragen an ${named(others)}`,
    conditions: () => 'Bedingungen geändert',
    retire: () => 'Dateischlüssel stillgelegt',
    repair: () => 'Dateischlüssel repariert',
  },
  notOpened: 'Noch von keiner anderen Wallet geöffnet und für keine freigegeben.',
  unconfirmed: (nodes) => `(gemeldet von ${formatCount(nodes)} von 5 Schlüsselknoten)`,
  connect: 'Schlüsselknoten verbinden',
  connectHint: 'Zeigt, wer die verschlüsselten Dateien geöffnet hat. Dafür signiert die Wallet einmal.',
  keyNodesFailed:
    'Die Schlüsselknoten antworten nicht. Deshalb fehlt hier, wer verschlüsselte Dateien freigegeben oder geöffnet hat.',
  other: (type) => type,
  openFile: 'Datei öffnen',
  older: 'Ältere anzeigen',
  none: 'Noch keine Aktivitäten',
  noneHint: 'Uploads, Freigaben, geöffnete Dateien, Zahlungen und Nachweise erscheinen hier.',
  export: 'Signiertes Protokoll exportieren',
  exportFailed: 'Das Protokoll wurde nicht exportiert',
  bell: (unread) => (unread === 0 ? 'Mitteilungen' : `Mitteilungen, ${formatCount(unread)} ungelesen`),
  notifications: 'Mitteilungen',
  notificationsHint: 'Aktivitäten anderer und alles, was Handeln erfordert.',
  noNews: 'Keine Mitteilungen',
  noNewsHint: 'Geöffnete Dateien und Links, empfangene Dateien, Zahlungen und versäumte Nachweise erscheinen hier.',
  showAll: 'Alle Aktivitäten anzeigen',
}
