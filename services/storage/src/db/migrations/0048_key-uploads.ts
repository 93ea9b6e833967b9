import type { Migration } from '@cairn/service'

/** The key of a client with which it can repeat an upload whose answer was lost, hashed with the account. */
export const keyUploads: Migration = {
  name: '0048_key-uploads',
  change: 'expand',
  statements: ({ bytes }) => [
    `alter table upload add column idempotency_key ${bytes}`,
    'create unique index upload_key on upload (idempotency_key) where idempotency_key is not null',
  ],
}
