import { formatDuration } from '../format.ts'
import type { Texts } from '../texts.ts'
import { plural } from './plural.ts'

/** Wallet and session, on every page. */
export const session: Texts['session'] = {
  connect: 'Wallet verbinden',
  signIn: 'Anmelden',
  signInAgain: 'Neu anmelden',
  lacking: (nodes) =>
    `${plural(nodes.length, { one: 'Schlüsselknoten', other: 'Die Schlüsselknoten' })} ${new Intl.ListFormat('de').format(nodes.map(String))} ${plural(nodes.length, { one: 'ist', other: 'sind' })} nicht Teil dieser Sitzung.`,
  clockDiffers: (aheadMs) =>
    `Die Uhr dieses Geräts geht gegenüber der des Dienstes ${formatDuration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'nach' : 'vor'}`,
  clockHint: 'Signaturen gelten nur zur aktuellen Zeit. Die Uhr dieses Geräts stellen und noch einmal versuchen.',
  connectFailed: 'Die Schlüsselknoten wurden nicht verbunden',
  signOut: 'Abmelden',
  signedOutHere: 'In diesem Browser abgemeldet',
  keyStaysValid: (until) =>
    `Der Dienst war nicht erreichbar, deshalb gilt der API-Schlüssel dieser Sitzung bis ${until}. Unter „API-Schlüssel“ lässt er sich widerrufen.`,
  uploadsStay: 'Unvollständige Uploads wurden nicht abgebrochen. Der Dienst entfernt sie nach einiger Zeit.',
  walletNotTold: 'Die Wallet zeigt diese Seite vielleicht noch als verbunden',
  accountOf: (address) => `Konto ${address}`,
  rejectedTitle: 'In der Wallet abgelehnt',
  copyAddress: 'Adresse kopieren',
  walletMissing: 'Die Wallet dieses Kontos wieder verbinden, dann signieren.',
  otherAccount: (address) =>
    `Die Wallet ist zu ${address} gewechselt. Die Daten des vorigen Kontos sind hier nicht mehr zu sehen. Zum Fortfahren anmelden.`,
  sessionEnded: 'Die Wallet wurde getrennt, deshalb ist die Sitzung beendet.',
  sessionOver: 'Die Sitzung ist abgelaufen. Zum Fortfahren neu anmelden.',
  sessionRevoked: 'Der API-Schlüssel dieser Sitzung wurde widerrufen. Zum Fortfahren neu anmelden.',
  endsSoon: 'Die Sitzung läuft in wenigen Minuten ab.',
  extend: 'Verlängern',
  gateTitle: 'Anmelden, um das zu sehen',
  gateHintKnown: 'Die Wallet ist verbunden. Zum Fortfahren einmal signieren.',
  gateHint: 'Zum Fortfahren die Wallet verbinden. Danach öffnet sich wieder diese Seite.',
}
