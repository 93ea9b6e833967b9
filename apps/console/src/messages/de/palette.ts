import type { Texts } from '../texts.ts'
import { counted } from './plural.ts'

/** The command palette. */
export const palette: Texts['palette'] = {
  title: 'Suche und Befehle',
  label: 'Datei, Seite oder Aktion',
  hint: 'Datei, CID, Seite oder Aktion',
  results: 'Ergebnisse',
  files: 'Dateien',
  recent: 'Letzte Dateien',
  actions: 'Aktionen',
  pages: 'Seiten',
  none: 'Keine Ergebnisse',
  count: (count) => counted(count, { one: 'Ergebnis', other: 'Ergebnisse' }),
  searching: 'Suche läuft',
  foldersLoading: 'Ordner werden geladen. Bis dahin werden Dateien unter den Namen ihrer Uploads gefunden.',
  foldersFailed:
    'Die Ordner lassen sich nicht öffnen, deshalb werden Dateien unter den Namen ihrer Uploads gefunden. „Dateien“ nennt den Grund.',
  upload: 'Dateien hochladen',
  uploadAliases: 'hinzufügen senden neu text ordner upload',
  account: 'Konto und Wallet',
  accountAliases: 'abmelden anmelden guthaben adresse verbinden',
  theme: (name) => `Design: ${name}`,
}
