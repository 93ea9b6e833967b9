import { formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'

/** The receipt of a payment. */
export const receipt: Texts['receipt'] = {
  title: 'Beleg',
  hint: 'Speicherplatz, gekauft auf einer Blockchain. Die Transaktion lässt sich öffentlich überprüfen.',
  print: 'Drucken',
  back: 'Zurück zur Abrechnung',
  missing: 'Kein Beleg',
  missingHint: 'Dieses Konto hat keine gutgeschriebene Zahlung mit dieser Nummer.',
  number: 'Nummer',
  date: 'Datum',
  service: 'Dienst',
  account: 'Konto',
  payer: 'Bezahlt von',
  storage: 'Speicherplatz',
  storageOf: (size) => `${size}, einmalig bezahlt`,
  amount: 'Betrag',
  value: 'Wert in US-Dollar',
  chain: 'Chain',
  block: (chain, block) => `${chain}, Block ${formatCount(block)}`,
  transaction: 'Transaktion',
  proof: 'Explorer',
}
