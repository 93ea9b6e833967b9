import type { Texts } from '../texts.ts'

/** The address book of an account. */
export const contacts: Texts['contacts'] = {
  title: 'Kontakte',
  hint: 'Bezeichnungen sind verschlüsselt gespeichert. Lesbar sind sie nur für dieses Konto, auf jedem seiner Geräte.',
  none: 'Noch keine Kontakte',
  noneHint:
    'Mit einer Bezeichnung lässt sich eine Adresse beim Freigeben am Namen finden. Adressen, für die etwas freigegeben wird, kommen automatisch hinzu.',
  add: 'Kontakt hinzufügen',
  address: 'Adresse',
  mistyped: (address) =>
    `${address} enthält einen Tippfehler: Die Großbuchstaben bilden eine Prüfsumme, und die stimmt nicht. Noch einmal kopieren.`,
  label: 'Bezeichnung',
  labelHint: 'Ein vertrauter Name. Nur für dieses Konto sichtbar.',
  labelEmpty: 'Eine Bezeichnung eingeben.',
  save: 'Speichern',
  nameTitle: 'Bezeichnung dieser Adresse',
  nameAddress: (who) => `Bezeichnung für ${who} vergeben`,
  remove: (who) => `${who} aus den Kontakten entfernen`,
  used: (ago) => `Freigegeben ${ago}`,
  unused: 'Noch nichts freigegeben',
  suggestions: 'Kontakte',
  failed: 'Die Kontakte wurden nicht geändert',
  ensLooking: (name) => `${name} wird nachgeschlagen`,
  ensNone: (name) => `${name} hat keine Adresse.`,
  ensIs: (name, address) => `${name} ist ${address}`,
}
