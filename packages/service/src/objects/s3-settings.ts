import { withoutTrailing } from '@cairn/protocol'

/** Location of objects on an S3 store, and how to reach it. */
export type S3Settings = {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  /** Defaults to AWS. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly isPathStyle: boolean
  /** Default to those of the environment or the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** Server-side encryption. Defaults to the store's own setting. */
  readonly encryption: S3Encryption | undefined
  /** Storage class of packs. Defaults to the store's own setting. */
  readonly storageClass: S3StorageClass | undefined
}

/** Server-side encryption. Without `kmsKeyId`, the account's own S3 key is used. */
export type S3Encryption =
  | { readonly algorithm: 'AES256' }
  | { readonly algorithm: 'aws:kms'; readonly kmsKeyId?: string }

/** Storage classes with immediate reads. Archives have none. */
export const s3StorageClasses = ['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'] as const
export type S3StorageClass = (typeof s3StorageClasses)[number]

/** Reads `s3://bucket/prefix`. */
export function s3Url(value: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(value) ?? []
  const prefix = withoutTrailing(path, '/')
  if (bucket === undefined || !/^([a-zA-Z0-9_-][a-zA-Z0-9._-]*(\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*)?$/.test(prefix)) {
    throw new Error('must be s3://bucket or s3://bucket/prefix, with letters, digits, hyphens, dots and underscores')
  }
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

/** Parses the region of a bucket. */
export function s3Region(value: string): string {
  if (!/^[a-z0-9-]{1,64}$/.test(value)) throw new Error('must be letters, digits and hyphens')
  return value
}
