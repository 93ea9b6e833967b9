import { translatable } from '../translatable.ts'

/** Sign-in with a passkey. */
export const passkey = translatable('passkey', {
  title: 'Sign in with a passkey',
  hint: 'A passkey is your account here: your device or password manager keeps it, and asks for your fingerprint, face or PIN.',
  use: 'Use my passkey',
  create: 'Create a passkey',
  waiting: 'Waiting for your passkey',
  declinedTitle: 'Passkey not confirmed',
  declinedConnect: 'You did not confirm your passkey. Nothing was shared.',
  declinedSign: 'You did not confirm your passkey, so you are not signed in.',
  loss: 'A deleted passkey cannot be replaced: you lose the account and its encrypted files.',
  nameOf: (date: Date) => `Cairn, ${date.toISOString().slice(0, 10)}`,
  noSecret: 'This passkey cannot derive a key',
  noSecretHint: 'Use a browser and a password manager with the WebAuthn extension prf, or a wallet.',
  noPayments: 'A passkey cannot send payments',
  noPaymentsHint: 'Pay with a wallet.',
})
