import type { Migration } from '@cairn/service'

/**
 * Numbers changes independently of versions, because a repair may adopt a change with an existing version. Stores the
 * creator of records, which the limit per address counts.
 */
export const numberChanges: Migration = {
  name: '0002_number-changes',
  change: 'contract',
  statements: ({ integer, text, clustered }) => [
    `create table numbered_change (
      cid ${text} not null references key (cid) on delete cascade,
      seq ${integer} not null,
      version ${integer} not null,
      kind ${text} not null,
      id ${text} not null,
      by_address ${text} not null,
      arguments ${text} not null,
      at ${integer} not null,
      primary key (cid, seq)
    )${clustered}`,
    `insert into numbered_change (cid, seq, version, kind, id, by_address, arguments, at)
      select cid, version, version, kind, id, by_address, arguments, at from change`,
    'drop table change',
    'alter table numbered_change rename to change',

    `alter table key add column creator ${text} not null default ''`,
    `update key set creator = coalesce(
      (select by_address from change where change.cid = key.cid order by seq limit 1), owner)`,
    'create index key_creator on key (creator, cid)',
  ],
}
