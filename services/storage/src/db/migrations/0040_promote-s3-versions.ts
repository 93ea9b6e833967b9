import type { Migration } from '@cairn/service'

/** The newest version of its key, without a latest version: two concurrent deletions of versions left it behind. */
const isLeftBehind = `is_latest = 0
  and not exists (
    select 1 from s3_object as other
    where other.bucket = s3_object.bucket and other.key = s3_object.key
      and (other.is_latest = 1 or other.version_id > s3_object.version_id)
  )
  and not exists (
    select 1 from s3_delete_marker as marker
    where marker.bucket = s3_object.bucket and marker.key = s3_object.key and marker.version_id > s3_object.version_id
  )`

/** Makes S3 objects visible again that lost their latest version. */
export const promoteS3Versions: Migration = {
  name: '0040_promote-s3-versions',
  change: 'expand',
  statements: () => [
    // Counts a change of the bucket's objects, so that a published bucket lists them again.
    `update s3_bucket set revision = revision + 1
      where name in (select s3_object.bucket from s3_object where ${isLeftBehind})`,
    `update s3_object set is_latest = 1 where ${isLeftBehind}`,
  ],
}
