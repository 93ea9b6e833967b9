import type { Texts } from '../texts.ts'
import { plural } from './plural.ts'

/** Dialogs about an existing session. Loaded with these dialogs. */
export const signature: Texts['signature'] = {
  extendTitle: 'Sitzung verlängern',
  extendHint:
    'Den Anmeldetext noch einmal signieren, um eine neue Sitzung zu beginnen. Laufende Uploads gehen weiter. Das ist keine Transaktion und kostet nichts.',
  stillOpen: (nodes, until) =>
    `Eine beendete Sitzung ist bei Schlüsselknoten ${new Intl.ListFormat('de').format(nodes.map(String))} noch offen, weil keine Antwort kam. Ablauf spätestens: ${until}.`,
  endThere: 'Dort beenden',
  lost: (nodes) =>
    `${plural(nodes.length, { one: 'Schlüsselknoten', other: 'Die Schlüsselknoten' })} ${new Intl.ListFormat('de').format(nodes.map(String))} ${plural(nodes.length, { one: 'kennt', other: 'kennen' })} diese Sitzung nicht mehr. Neu anmelden, um alle fünf Schlüsselknoten zu erreichen.`,
  notNow: 'Nicht jetzt',
  againTitle: 'Alle fünf Schlüsselknoten erreichen',
  againHint:
    'Einmal signieren, um die Sitzung bei den Schlüsselknoten neu zu öffnen, denen sie fehlt. Sonst ändert sich nichts. Das ist keine Transaktion und kostet nichts.',
  keysTitle: 'Noch eine Signatur',
  keysHint:
    'Fünf unabhängige Schlüsselknoten schützen verschlüsselte Dateien. Zu wenige davon kennen diese Sitzung: Sie haben bei der Anmeldung nicht geantwortet, oder die Sitzung ist dort abgelaufen. Zum Fortfahren einmal signieren. Das ist keine Transaktion und kostet nichts.',
  keysGo: 'Signieren',
  keysSigning: 'Warten auf die Wallet',
}
