import type { Migration } from '@cairn/service'

/** The rights that a message to sign grants, as in its text. Earlier messages have no grant and expire within minutes. */
export const namePurposes: Migration = {
  name: '0008_name-purposes',
  change: 'expand',
  statements: ({ text }) => [`alter table challenge add column key_grant ${text}`],
}
