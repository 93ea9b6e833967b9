import type { Migration } from '@cairn/service'

/** Roots that are handed to the operator's Kubo: the announced ones. */
export const createHandover: Migration = {
  name: '0028_create-handover',
  change: 'expand',
  statements: ({ integer, text, bytes, strict }) => [
    `create table handed_root (
      root_multihash ${bytes} primary key,
      cid ${text} not null,
      is_handed ${integer} not null check (is_handed in (0, 1)),
      due_at ${integer},
      tries ${integer} not null,
      error ${text}
    )${strict}`,
    'create index handed_root_due on handed_root (due_at) where due_at is not null',
    `insert into handed_root (root_multihash, cid, is_handed, due_at, tries, error)
      select root_multihash, cid, 0, 0, 0, null from announcement`,
  ],
}
