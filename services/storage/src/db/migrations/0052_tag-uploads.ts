import type { Migration } from '@cairn/service'

/** Tags of uploads, which published clients find them by. They are removed with their uploads. */
export const tagUploads: Migration = {
  name: '0052_tag-uploads',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `create table upload_tag (
      address ${text} not null,
      tag ${text} not null,
      upload_id ${text} not null references upload (id) on delete cascade,
      created_at ${integer} not null,
      primary key (address, tag)
    )${strict}`,
    'create index upload_tag_upload on upload_tag (upload_id)',
  ],
}
