import type { Texts } from '../texts.ts'

/** Sign-in with a passkey. */
export const passkey: Texts['passkey'] = {
  title: 'Mit einem Passkey anmelden',
  hint: 'Ein Passkey ist hier das Konto: Das Gerät oder der Passwortmanager bewahrt ihn auf und fragt nach Fingerabdruck, Gesicht oder PIN.',
  use: 'Passkey verwenden',
  create: 'Passkey erstellen',
  waiting: 'Warten auf den Passkey',
  declinedTitle: 'Passkey nicht bestätigt',
  declinedConnect: 'Der Passkey wurde nicht bestätigt. Nichts wurde weitergegeben.',
  declinedSign: 'Der Passkey wurde nicht bestätigt, deshalb ist die Anmeldung fehlgeschlagen.',
  loss: 'Ein gelöschter Passkey lässt sich nicht ersetzen: Das Konto und seine verschlüsselten Dateien sind dann verloren.',
  nameOf: (date) => `Cairn, ${date.toISOString().slice(0, 10)}`,
  noSecret: 'Aus diesem Passkey lässt sich kein Schlüssel ableiten',
  noSecretHint: 'Einen Browser und einen Passwortmanager mit der WebAuthn-Erweiterung prf verwenden, oder eine Wallet.',
  noPayments: 'Ein Passkey kann keine Zahlungen senden',
  noPaymentsHint: 'Mit einer Wallet zahlen.',
}
