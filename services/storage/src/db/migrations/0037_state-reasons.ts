import type { Migration } from '@cairn/service'

/** What reasons state, beside their English sentences: consoles in other languages read it. */
export const stateReasons: Migration = {
  name: '0037_state-reasons',
  change: 'expand',
  statements: ({ text }) => [
    `alter table deal add column error_facts ${text}`,
    `alter table possession_check add column reason_facts ${text}`,
    `alter table payment add column reason_facts ${text}`,
    `alter table chain_cursor add column fault_facts ${text}`,
  ],
}
