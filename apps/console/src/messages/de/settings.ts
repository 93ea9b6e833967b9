import type { Texts } from '../texts.ts'

/** Settings. */
export const settings: Texts['settings'] = {
  hint: 'Nur in diesem Browser gespeichert.',
  appearance: 'Darstellung',
  theme: 'Design',
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  accent: 'Akzent',
  accents: { blue: 'Blau', green: 'Grün', orange: 'Orange', pink: 'Rosa', purple: 'Violett', red: 'Rot' },
  language: 'Sprache',
  languageOfBrowser: 'Wie im Browser',
  languageHint: 'Die Seite wird in der gewählten Sprache neu geladen.',
  behaviour: 'Verhalten',
  access: 'Neue Uploads',
  accessHint:
    'Jeder Upload zeigt diese Auswahl, bevor er beginnt. Eine andere Auswahl gilt nur für diesen einen Upload.',
  startsAtOnce: 'Öffentliche Uploads sofort beginnen',
  startsAtOnceHint:
    'Sind neue Uploads öffentlich, beginnen sie, sobald Dateien ausgewählt sind. Private und verschlüsselte warten auf die Schaltfläche.',
  fileFormat: 'Format verschlüsselter Dateien',
  fileFormats: { v1: 'Kompatibel', v2: 'Wahlfreier Zugriff' },
  fileFormatHints: {
    v1: 'Funktioniert mit anderen Lighthouse-kompatiblen Apps. Bis zu 64\u00a0GiB pro Datei.',
    v2: 'In Teilen lesbar, bei jeder Größe. Nur Cairn kann sie öffnen.',
  },
  staysSignedIn: 'Auf diesem Gerät angemeldet bleiben',
  staysSignedInHint:
    'Ab der nächsten Anmeldung für 30 Tage. Sonst endet die Sitzung mit dem letzten Tab dieser Konsole, spätestens nach 12 Stunden.',
  shortcuts: 'Tastenkürzel mit einem Buchstaben',
  shortcutsHint: 'Mit ? erscheinen sie auf jeder Seite. Für Sprach- oder Schaltersteuerung ausschalten.',
  session: 'Sitzung',
  sessionNone: 'Nicht angemeldet.',
  signedInAs: 'Angemeldet als',
  sessionEnds: 'Läuft ab',
  keyNodes: 'Schlüsselknoten',
  keyNodesOpen: (count, all) => `angemeldet bei ${count} von ${all}`,
  keyNodesClosed: 'noch nicht nötig',
  network: 'Netzwerk',
  networkHint: 'Die Adressen, mit denen sich diese Konsole verbindet. Andere Verbindungen gibt es nicht.',
  networkName: 'Name',
  api: 'Dienst',
  gateway: 'Gateway',
  router: 'Router für Dateischlüssel',
  chain: (name) => `Chain ${name}`,
  status: 'Status des Netzwerks',
  data: 'Daten auf diesem Gerät',
  dataHint:
    'Einstellungen, die zuletzt benutzte Wallet, offene Zahlungen, Uploads und Änderungen und die auf diesem Gerät erstellten Namensschlüssel.',
  export: 'Exportieren',
  exportHint:
    'Eine JSON-Datei mit Einstellungen und Zahlungen, ohne Sitzung, Dateiinhalte und Schlüssel. Ein Namensschlüssel wird auf der Seite seines Namens exportiert.',
  clear: 'Löschen',
  clearHint: 'Beendet die Sitzung und löscht all das. Gespeicherte Dateien bleiben erhalten.',
  clearTitle: 'Daten auf diesem Gerät löschen?',
  clearConfirm: 'Löschen und abmelden',
  clearText:
    'Löscht Einstellungen, die zuletzt benutzte Wallet, die Sitzung dieses Browsers und unvollständige Uploads. Auf diesem Gerät erstellte Namensschlüssel sind dann endgültig verloren: vorher exportieren. Offene Zahlungen werden trotzdem gutgeschrieben. Dateien und Schlüssel beim Dienst bleiben erhalten.',
}
