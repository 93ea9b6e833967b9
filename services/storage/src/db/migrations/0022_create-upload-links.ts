import type { Migration } from '@cairn/service'

/**
 * Upload links, and the link that a resumable upload came through. An idempotency key names an upload of an account, so that
 * a client that repeats a lost call gets the same upload.
 */
export const createUploadLinks: Migration = {
  name: '0022_create-upload-links',
  change: 'expand',
  statements: ({ integer, text, bytes, strict }) => [
    `create table upload_link (
      id ${text} primary key,
      address ${text} not null references account (address),
      label ${text} not null,
      secret_hash ${bytes} not null,
      max_file_bytes ${integer} not null,
      max_total_bytes ${integer} not null,
      max_uploads ${integer} not null,
      content_types ${text} not null,
      uploads ${integer} not null check (uploads <= max_uploads),
      uploaded_bytes ${integer} not null check (uploaded_bytes <= max_total_bytes),
      created_at ${integer} not null,
      expires_at ${integer} not null,
      last_used_at ${integer},
      revoked_at ${integer}
    )${strict}`,
    'create index upload_link_address on upload_link (address, created_at)',
    'create index upload_link_expires on upload_link (expires_at)',

    `alter table resumable_upload add column upload_link_id ${text}`,
    `alter table resumable_upload add column idempotency_key ${text}`,
    'create index resumable_upload_link on resumable_upload (upload_link_id) where upload_link_id is not null',
    'create unique index resumable_upload_key on resumable_upload (address, idempotency_key) where idempotency_key is not null',
  ],
}
