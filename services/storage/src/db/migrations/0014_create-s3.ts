import type { Migration } from '@cairn/service'

/** Buckets, objects, multipart uploads and access keys of the S3 API. */
export const createS3: Migration = {
  name: '0014_create-s3',
  change: 'expand',
  statements: ({ integer, text, strict, clustered }) => [
    `create table s3_credential (
      id ${text} primary key,
      api_key_id ${text} not null references api_key (id),
      address ${text} not null references account (address),
      rules ${text} not null,
      created_at ${integer} not null
    )${strict}`,
    'create index s3_credential_key on s3_credential (api_key_id)',

    `create table s3_bucket (
      name ${text} primary key,
      address ${text} not null references account (address),
      cors ${text},
      tags ${text},
      created_at ${integer} not null
    )${strict}`,
    'create index s3_bucket_address on s3_bucket (address, name)',

    `create table s3_object (
      bucket ${text} not null references s3_bucket (name),
      key ${text} not null,
      version_id ${text} not null references upload (id) on delete cascade,
      is_latest ${integer} not null check (is_latest in (0, 1)),
      cid ${text} not null,
      size_bytes ${integer} not null,
      etag ${text} not null,
      headers ${text} not null,
      metadata ${text} not null,
      checksum ${text},
      part_sizes ${text},
      tags ${text},
      created_at ${integer} not null,
      primary key (bucket, key, version_id)
    )${strict}`,
    'create unique index s3_object_latest on s3_object (bucket, key) where is_latest = 1',
    'create unique index s3_object_version on s3_object (version_id)',

    `create table s3_multipart (
      id ${text} primary key,
      bucket ${text} not null references s3_bucket (name),
      key ${text} not null,
      address ${text} not null references account (address),
      headers ${text} not null,
      metadata ${text} not null,
      tags ${text},
      checksum_algorithm ${text},
      checksum_type ${text},
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${strict}`,
    'create index s3_multipart_key on s3_multipart (bucket, key, id)',
    'create index s3_multipart_expires on s3_multipart (expires_at)',

    `create table s3_part (
      upload_id ${text} not null references s3_multipart (id),
      part_number ${integer} not null,
      size_bytes ${integer} not null,
      etag ${text} not null,
      checksum ${text},
      object_key ${text} not null,
      created_at ${integer} not null,
      primary key (upload_id, part_number)
    )${clustered}`,
    'create unique index s3_part_object on s3_part (object_key)',
  ],
}
