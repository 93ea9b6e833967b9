import type { Migration } from '@cairn/service'

/** What a message to sign grants, as its text says. Messages from before say nothing, and are over within minutes. */
export const namePurposes: Migration = {
  name: '0008_name-purposes',
  statements: ({ text }) => [`alter table challenge add column key_grant ${text}`],
}
