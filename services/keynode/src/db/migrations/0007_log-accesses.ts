import type { Migration } from '@cairn/service'

/**
 * Adds the log of accesses: who opened a file, or was refused, for its owner. Changes can be listed by who made them.
 */
export const logAccesses: Migration = {
  name: '0007_log-accesses',
  change: 'expand',
  statements: ({ integer, text, clustered }) => [
    `create table access (
      owner ${text} not null,
      cid ${text} not null,
      address ${text} not null,
      outcome ${text} not null check (outcome in ('opened', 'denied')),
      hour ${integer} not null,
      count ${integer} not null,
      first_at ${integer} not null,
      last_at ${integer} not null,
      primary key (cid, outcome, owner, address, hour)
    )${clustered}`,
    'create index access_owner on access (owner, last_at)',
    'create index access_last on access (last_at)',
    'create index change_by on change (by_address, at)',
  ],
}
