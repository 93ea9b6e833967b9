import type { Migration } from '@cairn/service'

/** Counts unpaid storage over all accounts, and free accounts per day and caller. */
export const boundFreeStorage: Migration = {
  name: '0009_bound-free-storage',
  change: 'expand',
  statements: ({ integer, text, strict, clustered }) => [
    `alter table account add column free_bytes ${integer}`,
    `update account set free_bytes = coalesce((
      select sum(bytes) from ledger_entry where ledger_entry.address = account.address and kind = 'allowance'), 0)`,

    // One row, changed by every unit that changes free storage.
    `create table free_storage (
      one ${integer} primary key check (one = 1),
      used_bytes ${integer} not null check (used_bytes >= 0)
    )${strict}`,
    `insert into free_storage (one, used_bytes)
      select 1, coalesce(sum(over), 0) from (
        select data_used_bytes + reserved_bytes - (data_limit_bytes - free_bytes) as over from account
      ) as sums where over > 0`,

    // asker is a pseudonym that changes daily.
    `create table free_account_day (
      day ${integer} not null,
      asker ${text} not null,
      accounts ${integer} not null,
      primary key (day, asker)
    )${clustered}`,
  ],
}
