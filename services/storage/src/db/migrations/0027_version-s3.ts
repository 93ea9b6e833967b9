import type { Migration } from '@cairn/service'

/** Versioning of buckets, with delete markers, and the names that buckets are published under. */
export const versionS3: Migration = {
  name: '0027_version-s3',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `alter table s3_bucket add column versioning ${text} check (versioning in ('Enabled', 'Suspended'))`,
    // Counts the changes of the bucket's objects.
    `alter table s3_bucket add column revision ${integer} not null default 0`,
    `alter table s3_object add column is_null ${integer} not null default 0 check (is_null in (0, 1))`,
    'update s3_object set is_null = is_latest',
    'create unique index s3_object_null on s3_object (bucket, key) where is_null = 1',
    `create table s3_delete_marker (
      bucket ${text} not null references s3_bucket (name),
      key ${text} not null,
      version_id ${text} not null,
      is_null ${integer} not null check (is_null in (0, 1)),
      created_at ${integer} not null,
      primary key (bucket, key, version_id)
    )${strict}`,
    'create unique index s3_delete_marker_null on s3_delete_marker (bucket, key) where is_null = 1',
  ],
}
