import type { Migration } from '@cairn/service'

/**
 * Private uploads, in packs of their own. What is stored already is public. Its statements only add, but it is a
 * contraction: an earlier version would serve private content to everyone.
 */
export const keepPrivate: Migration = {
  name: '0033_keep-private',
  change: 'contract',
  statements: ({ integer }) => [
    `alter table pack add column is_private ${integer} not null default 0`,
    `alter table upload add column is_private ${integer} not null default 0`,
    // Pieces are made of public packs. Without it, each round would read all private ones.
    'create index pack_unpieced_public on pack (id) where is_pieced = 0 and is_private = 0',
  ],
}
