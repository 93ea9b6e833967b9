import type { Migration } from '@cairn/service'

/** Resumable uploads, and the location of their parts until they are complete. */
export const createResumableUploads: Migration = {
  name: '0006_create-resumable-uploads',
  change: 'expand',
  statements: ({ integer, text, strict, clustered }) => [
    `create table resumable_upload (
      id ${text} primary key,
      address ${text} not null references account (address),
      length_bytes ${integer} not null,
      offset_bytes ${integer} not null check (offset_bytes <= length_bytes),
      metadata ${text} not null,
      state ${text} not null check (state in ('receiving', 'received', 'stored', 'failed')),
      result ${text},
      error ${text},
      writer ${text},
      writer_until ${integer},
      tries ${integer} not null,
      retry_at ${integer} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${strict}`,
    'create index resumable_upload_address on resumable_upload (address, id desc)',
    'create index resumable_upload_expires on resumable_upload (expires_at)',
    "create index resumable_upload_received on resumable_upload (retry_at) where state = 'received'",

    `create table resumable_part (
      upload_id ${text} not null references resumable_upload (id),
      offset_bytes ${integer} not null,
      size_bytes ${integer} not null,
      object_key ${text} not null,
      primary key (upload_id, offset_bytes)
    )${clustered}`,
    'create unique index resumable_part_object on resumable_part (object_key)',
  ],
}
