import type { Migration } from '@cairn/service'

/** Lifecycle rules of buckets. */
export const ruleS3Lifecycles: Migration = {
  name: '0044_rule-s3-lifecycles',
  change: 'expand',
  statements: ({ integer, text }) => [
    `alter table s3_bucket add column lifecycle ${text}`,
    `alter table s3_bucket add column lifecycle_applied_at ${integer}`,
    'create index s3_bucket_lifecycle on s3_bucket (lifecycle_applied_at) where lifecycle is not null',
  ],
}
