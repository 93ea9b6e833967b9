import type { Migration } from '@cairn/service'

/**
 * Indexes the retired keys whose shard is still there: each sweep looks for them, among all that were ever retired.
 */
export const indexRetired: Migration = {
  name: '0009_index-retired',
  change: 'expand',
  statements: () => [
    "create index key_retired on key (state, updated_at) where state = 'retired' and sealed is not null",
  ],
}
