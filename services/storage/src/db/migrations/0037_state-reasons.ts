import type { Migration } from '@cairn/service'

/** Code and values of reasons, next to their English sentences: consoles in other languages read them. */
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
