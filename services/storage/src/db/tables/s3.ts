import type { Generated } from 'kysely'

/** An access key of S3. `rules` is a JSON array; its secret is derived, never stored. */
type S3CredentialTable = { id: string; api_key_id: string; address: string; rules: string; created_at: number }

/** A bucket. `cors` is its CORS configuration as JSON. Names are unique across all accounts. */
type S3BucketTable = {
  name: string
  address: string
  cors: string | null
  /** Lifecycle rules as JSON. */
  lifecycle: string | null
  /** When they were last applied; null since they changed. */
  lifecycle_applied_at: number | null
  tags: string | null
  /** Null until the owner sets it. */
  versioning: 'Enabled' | 'Suspended' | null
  /** 1 after the owner removed the setting. The values of the service remain. */
  no_public_access_block: 1 | null
  no_ownership_controls: 1 | null
  /** Number of changes of the bucket's objects. */
  revision: Generated<number>
  /** Name of the account that the bucket is published under. Kept while it is not published. */
  ipns_name: string | null
  /** Upload of the folder that the name points to. */
  root_upload_id: string | null
  /** Upload of the folder before that, until the name points to the new one. */
  previous_root_id: string | null
  /** The revision that the name points to; null while the bucket is not published. */
  published_revision: number | null
  /** Code of the error of the last attempt to publish. */
  publish_error: string | null
  created_at: number
}

/**
 * A version of an object. `version_id` is the id of its upload; removing the upload removes the row. `headers`, `metadata`,
 * `checksum`, `part_sizes` and `tags` are JSON.
 */
export type S3ObjectTable = {
  bucket: string
  key: string
  version_id: string
  /** 1 for the latest version of the key. */
  is_latest: 0 | 1
  /** 1 for the version that S3 calls `null`: the one written without versioning. */
  is_null: 0 | 1
  cid: string
  size_bytes: number
  etag: string
  headers: string
  metadata: string
  checksum: string | null
  part_sizes: string | null
  tags: string | null
  created_at: number
}

/** A delete marker: a version without content, which hides the versions before it. */
export type S3DeleteMarkerTable = {
  bucket: string
  key: string
  version_id: string
  is_null: 0 | 1
  created_at: number
}

/** A multipart upload in progress. The reservation with its id covers its parts. */
export type S3MultipartTable = {
  id: string
  bucket: string
  key: string
  address: string
  headers: string
  metadata: string
  tags: string | null
  checksum_algorithm: string | null
  checksum_type: string | null
  created_at: number
  expires_at: number
}

/** A part of a multipart upload: an object of the store. `checksum` is JSON. */
export type S3PartTable = {
  upload_id: string
  part_number: number
  size_bytes: number
  etag: string
  checksum: string | null
  object_key: string
  created_at: number
}

/** Buckets and objects of the S3 API. */
export type S3Tables = {
  s3_credential: S3CredentialTable
  s3_bucket: S3BucketTable
  s3_object: S3ObjectTable
  s3_delete_marker: S3DeleteMarkerTable
  s3_multipart: S3MultipartTable
  s3_part: S3PartTable
}
