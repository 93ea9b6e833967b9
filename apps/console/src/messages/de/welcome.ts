import type { Texts } from '../texts.ts'

/** The page for new visitors. */
export const welcome: Texts['welcome'] = {
  title: 'Dateien speichern: für alle überprüfbar, in eigener Hand',
  lead: 'Cairn speichert Dateien nach ihrem Inhalt: Die Adresse einer Datei wird aus ihren Bytes berechnet, deshalb lässt sie sich nicht unbemerkt austauschen. Verschlüsselte Dateien öffnen nur ausgewählte Personen.',
  points: [
    {
      title: 'Überprüfen statt vertrauen',
      text: 'Der Browser berechnet jede Adresse selbst und überprüft jeden Block, den er öffnet.',
    },
    {
      title: 'Auf dem eigenen Gerät verschlüsselt',
      text: 'Jeder Dateischlüssel ist auf fünf unabhängige Knoten verteilt. Drei beliebige stellen ihn für Personen mit Zugriff wieder her.',
    },
    {
      title: 'Zahlen nach Verbrauch',
      text: 'Ein Preis pro Byte. Einmal zahlen, aus der Wallet, in der Währung der Chain oder in Stablecoins.',
    },
  ],
  priceTitle: 'Preis',
  priceSlider: 'Speicherplatz',
  priceFor: (size) => `für ${size}, einmalig`,
  priceNote: 'Abgerechnet wird pro Byte; Mindestzahlung 1\u00a0MiB.',
  freeNote: 'Jedes Konto beginnt mit kostenlosem Speicherplatz.',
  openTitle: 'Öffentliche Datei öffnen',
  openHint: 'Mit einer CID geht das ohne Wallet.',
  openLabel: 'CID',
  open: 'Öffnen',
  openInvalid: 'Das ist keine gültige CID. CIDs sehen aus wie bafy… oder Qm….',
}
