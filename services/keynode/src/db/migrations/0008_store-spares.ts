import type { Migration } from '@cairn/service'

/**
 * Adds parts of spare sets: with them nodes replace the shards of a key without its owner. The operator's consent is
 * the time until which saved keys take part.
 */
export const storeSpares: Migration = {
  name: '0008_store-spares',
  change: 'expand',
  statements: ({ integer, text, bytes, clustered }) => [
    `create table spare (
      cid ${text} not null,
      set_id ${text} not null,
      spare_id ${text} not null,
      spare_set ${text} not null,
      parts ${bytes},
      shard ${bytes},
      saved_at ${integer} not null,
      primary key (cid, set_id)
    )${clustered}`,
    // Shards that a node received for files without a record.
    'create index spare_received on spare (saved_at) where parts is null',
    `alter table node add column replace_until ${integer}`,
  ],
}
