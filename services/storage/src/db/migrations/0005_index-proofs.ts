import type { Migration } from '@cairn/service'

/** Indexes that make the cost of finding due work on pieces and deals independent of their total number. */
export const indexProofs: Migration = {
  name: '0005_index-proofs',
  change: 'contract',
  statements: ({ integer, text, strict }) => [
    `alter table pack add column is_pieced ${integer} not null default 0`,
    'update pack set is_pieced = 1 where exists (select 1 from piece_pack where piece_pack.pack_id = pack.id)',
    'create index pack_unpieced on pack (id) where is_pieced = 0',

    // When to look for providers; null when there are enough.
    `alter table aggregate add column place_at ${integer}`,
    `update aggregate set place_at = 0 where state = 'live'`,
    'create index aggregate_place on aggregate (place_at) where place_at is not null',

    // Numbers of deals are never reused, even after the newest deals were deleted.
    `create table deal_counter (name ${text} primary key, last ${integer} not null)${strict}`,
    `insert into deal_counter (name, last) select 'deal', coalesce(max(number), 0) from deal`,
    `create unique index deal_active on deal (aggregate_id, provider)
      where state in ('queued', 'offered', 'kept', 'proving')`,
    `create index deal_due on deal (provider, next_at) where state in ('queued', 'offered', 'kept', 'proving')`,

    'create index piece_tree on piece (tree_key) where tree_key is not null',
  ],
}
