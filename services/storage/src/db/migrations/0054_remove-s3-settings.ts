import type { Migration } from '@cairn/service'

/** Removed settings of buckets. They hold no less, but reads answer as if they were absent. */
export const removeS3Settings: Migration = {
  name: '0054_remove-s3-settings',
  change: 'expand',
  statements: ({ integer }) => [
    `alter table s3_bucket add column no_public_access_block ${integer}`,
    `alter table s3_bucket add column no_ownership_controls ${integer}`,
  ],
}
