import { formatAgo, formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted } from './plural.ts'

/** Upload links, for the account that receives the files. */
export const ownUploadLinks: Texts['ownUploadLinks'] = {
  title: 'Upload-Links',
  hint: 'Links für Personen ohne Wallet: zum Schicken von Dateien und zum Öffnen verschlüsselter Dateien.',
  create: 'Neuer Upload-Link',
  none: 'Noch keine Upload-Links. Darüber können andere innerhalb fester Grenzen Dateien in dieses Konto schicken.',
  used: (count, max) => `${formatCount(count)} von ${counted(max, { one: 'Datei', other: 'Dateien' })}`,
  usedBytes: (bytes, max) => `${formatBytes(bytes)} von ${formatBytes(max)}`,
  lastUsed: (ms) => `zuletzt benutzt ${formatAgo(ms)}`,
  revokeHint: 'Der Link und laufende Uploads enden sofort. Dateien, die darüber angekommen sind, bleiben.',
  createTitle: 'Neuer Upload-Link',
  createHint:
    'Alle mit dem Link können Dateien in dieses Konto schicken. Sie sind öffentlich und belegen seinen Speicherplatz.',
  createFailed: 'Der Upload-Link wurde nicht erstellt',
  labelHint: 'Erscheint nur in dieser Liste, zum Beispiel „Fotos von Ida“.',
  files: 'Anzahl der Dateien',
  size: 'Größte Datei, in MiB',
  total: (bytes) => `Höchstens ${formatBytes(bytes)} insgesamt.`,
  types: 'Dateiarten',
  presets: { all: 'Alle', images: 'Bilder', pdf: 'PDF', other: 'Andere' },
  ownTypes: 'Medientypen',
  ownTypesHint:
    'Zum Beispiel text/plain oder video/*, durch Leerzeichen getrennt. Den Typ gibt die sendende Person an; er wird nicht geprüft.',
  ownTypesBad: 'Medientypen wie text/plain oder video/* eingeben.',
  madeHint: 'Er wird nicht noch einmal angezeigt. An die Personen schicken, die Dateien senden sollen.',
}
