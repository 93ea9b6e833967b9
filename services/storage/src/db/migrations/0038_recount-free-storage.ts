import type { Migration } from '@cairn/service'

/** Counts free storage again: a limit that was lowered below the free allowance counted as storage in use. */
export const recountFree: Migration = {
  name: '0038_recount-free-storage',
  change: 'expand',
  statements: () => [
    `update free_storage set used_bytes = (
      select coalesce(sum(over), 0) from (
        select data_used_bytes + reserved_bytes - case
          when data_limit_bytes > coalesce(free_bytes, 0) then data_limit_bytes - coalesce(free_bytes, 0)
          else 0
        end as over from account
      ) as sums where over > 0
    )`,
  ],
}
