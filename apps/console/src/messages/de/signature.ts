import type { Texts } from '../texts.ts'

/** Dialogs about an existing session. Loaded with these dialogs. */
export const signature: Texts['signature'] = {
  extendTitle: 'Sitzung verlängern',
  extendHint:
    'Den Anmeldetext noch einmal signieren, um eine neue Sitzung zu beginnen. Laufende Uploads gehen weiter. Das ist keine Transaktion und kostet nichts.',
  stillOpen: (nodes, until) =>
    `Eine beendete Sitzung ist noch offen bei Schlüsselknoten ${new Intl.ListFormat('de').format(nodes.map(String))}, ohne Antwort von dort. Sie läuft spätestens ab: ${until}.`,
  endThere: 'Dort beenden',
  keysTitle: 'Noch eine Signatur',
  keysHint:
    'Fünf unabhängige Schlüsselknoten schützen verschlüsselte Dateien. Zu wenige davon kennen diese Sitzung: Sie haben bei der Anmeldung nicht geantwortet, oder die Sitzung ist dort abgelaufen. Zum Fortfahren einmal signieren. Das ist keine Transaktion und kostet nichts.',
  keysGo: 'Signieren',
  keysSigning: 'Warten auf die Wallet',
}
