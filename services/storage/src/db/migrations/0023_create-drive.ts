import type { Migration } from '@cairn/service'

/** The private index of an account: folders, names, stars, tags and trash, encrypted by its clients. */
export const createDrive: Migration = {
  name: '0023_create-drive',
  change: 'expand',
  statements: ({ integer, text, bytes, strict }) => [
    `create table drive (
      address ${text} primary key references account (address),
      revision ${integer} not null,
      part_count ${integer} not null,
      size_bytes ${integer} not null,
      updated_at ${integer} not null
    )${strict}`,

    `create table drive_part (
      address ${text} not null references drive (address),
      first_revision ${integer} not null,
      last_revision ${integer} not null check (last_revision >= first_revision),
      data ${bytes} not null,
      created_at ${integer} not null,
      primary key (address, first_revision)
    )${strict}`,
    'create unique index drive_part_last on drive_part (address, last_revision)',
  ],
}
