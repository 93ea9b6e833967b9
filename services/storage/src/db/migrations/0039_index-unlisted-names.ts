import type { Migration } from '@cairn/service'

/** Indexes the age of records whose names are on no list: they are deleted after two days. */
export const indexUnlistedNames: Migration = {
  name: '0039_index-unlisted-names',
  change: 'expand',
  statements: () => [
    "create index ipns_name_unlisted_age on ipns_name (updated_at) where origin <> 'account' and valid_until is not null",
  ],
}
