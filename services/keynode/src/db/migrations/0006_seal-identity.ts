import type { Migration } from '@cairn/service'

/** The signing key that peers know stays when the secret is replaced: it is sealed with the new one. */
export const sealIdentity: Migration = {
  name: '0006_seal-identity',
  change: 'expand',
  statements: ({ bytes }) => [`alter table node add column signing_seal ${bytes}`],
}
