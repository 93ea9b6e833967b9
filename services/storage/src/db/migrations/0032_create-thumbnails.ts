import type { Migration } from '@cairn/service'

/** Thumbnails of encrypted pictures, encrypted by their clients. They are removed with their uploads. */
export const createThumbnails: Migration = {
  name: '0032_create-thumbnails',
  change: 'expand',
  statements: ({ integer, text, bytes, strict }) => [
    `create table thumbnail (
      upload_id ${text} primary key references upload (id) on delete cascade,
      data ${bytes} not null,
      created_at ${integer} not null
    )${strict}`,
  ],
}
