import type { Migration } from '@cairn/service'

/**
 * Lets packs share an object: the merged pack that holds one, and its place there. Its statements only add, but it is a
 * contraction: an earlier version would read a pack in a merged one at its former key, and find nothing there.
 */
export const mergePacks: Migration = {
  name: '0024_merge-packs',
  change: 'contract',
  statements: ({ integer }) => [
    `alter table pack add column merged_id ${integer}`,
    `alter table pack add column merged_offset_bytes ${integer}`,
    `alter table pack add column is_merged ${integer} not null default 0`,
    'create index pack_member on pack (merged_id) where merged_id is not null',
    'create index pack_merged on pack (id) where is_merged = 1',
    // Only these packs can be merged, so finding them costs nothing per large pack.
    `create index pack_mergeable on pack (id) where state = 'live' and unreferenced_at is null and is_pieced = 0
      and merged_id is null and is_merged = 0 and size_bytes < 1048576`,
    'create index doomed_object_due on doomed_object (created_at)',
  ],
}
