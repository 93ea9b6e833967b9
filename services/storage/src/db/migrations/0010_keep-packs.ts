import type { Migration } from '@cairn/service'

/**
 * Protects packs from being lost with their rows: why a pack is held, when its object was found missing, the id of
 * the database, and the objects that are being removed.
 */
export const keepPacks: Migration = {
  name: '0010_keep-packs',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `alter table pack add column hold ${text} check (hold in ('pending', 'abandoned', 'orphaned', 'recovered'))`,
    `alter table pack add column missing_at ${integer}`,
    'create index pack_held on pack (id) where hold is not null',
    'create index pack_missing on pack (id) where missing_at is not null',
    "create index pack_removing on pack (id) where state = 'removing' and hold is null",

    `create table store (
      id ${integer} primary key check (id = 1),
      name ${text} not null,
      created_at ${integer} not null,
      removals ${integer} not null
    )${strict}`,

    `create table doomed_object (
      object_key ${text} primary key,
      created_at ${integer} not null
    )${strict}`,
  ],
}
