import type { Migration } from '@cairn/service'

/** Who asked for a message to sign, as a pseudonym: a stranger must not displace the message of its owner. */
export const noteAskers: Migration = {
  name: '0042_note-askers',
  change: 'expand',
  statements: ({ text }) => [`alter table challenge add column asker ${text}`],
}
