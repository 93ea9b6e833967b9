import type { Migration } from '@cairn/service'

/** Settings that the operator changes while the service runs, with their history: a change adds a row. */
export const createOperatorSettings: Migration = {
  name: '0021_create-operator-settings',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `create table operator_setting (
      name ${text} not null,
      effective_at ${integer} not null,
      value ${text},
      primary key (name, effective_at)
    )${strict}`,
    // The price of every version before, and the one that published clients compute with.
    "insert into operator_setting (name, effective_at, value) values ('price.usd-per-gib', 0, '4')",
  ],
}
