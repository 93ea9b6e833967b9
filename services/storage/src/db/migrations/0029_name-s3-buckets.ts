import type { Migration } from '@cairn/service'

/** Buckets that are published under a name. */
export const nameS3Buckets: Migration = {
  name: '0029_name-s3-buckets',
  change: 'expand',
  statements: ({ integer, text }) => [
    `alter table s3_bucket add column ipns_name ${text}`,
    `alter table s3_bucket add column root_upload_id ${text} references upload (id) on delete set null`,
    `alter table s3_bucket add column previous_root_id ${text} references upload (id) on delete set null`,
    `alter table s3_bucket add column published_revision ${integer}`,
    `alter table s3_bucket add column publish_error ${text}`,
    'create index s3_bucket_root on s3_bucket (root_upload_id) where root_upload_id is not null',
    'create index s3_bucket_previous_root on s3_bucket (previous_root_id) where previous_root_id is not null',
    'create index s3_bucket_unpublished on s3_bucket (name) where published_revision <> revision',
  ],
}
