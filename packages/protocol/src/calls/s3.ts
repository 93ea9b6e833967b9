import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes, namePublishesPerMinute } from '../limits.ts'
import { bucketNamePattern, s3RuleSchema } from '../schemas/s3-rule.ts'

/** Maximum number of rules per access key. */
const maxS3Rules = 50

const credentialsSchema = v.object({
  /** URL of the S3 API. */
  endpoint: v.string(),
  region: v.string(),
  accessKeyId: v.string(),
  /** Shown only once. */
  secretAccessKey: v.string(),
})

/** Settings of an S3 client. */
export type S3Credentials = v.InferOutput<typeof credentialsSchema>

/** `POST /api/s3/credentials`: creates an S3 access key that belongs to the API key of the call. */
export const createS3Credentials = defineCall({
  id: 'createS3Credentials',
  method: 'POST',
  path: '/api/s3/credentials',
  host: 'api',
  tag: 'S3',
  summary: 'Create an access key for S3',
  description:
    'Creates an access key ID and a secret access key for the S3 API. They have the rights of the API key within `rules`, and expire with it. To revoke them, revoke the API key. An empty list of rules gives access to all buckets of the account. An account can have 1,000 access keys.',
  auth: 'apiKey',
  scope: 'files:read',
  body: {
    kind: 'json',
    schema: v.object({ rules: v.pipe(v.array(s3RuleSchema), v.maxLength(maxS3Rules)) }),
  },
  response: { kind: 'json', schema: credentialsSchema },
  errors: [...authErrors, 'NOT_SUPPORTED'],
  dialect: 'api',
  limits: { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs, perMinute: 60, isShared: true },
  idempotent: false,
})

const bucketParams = v.object({
  bucket: v.pipe(v.string(), v.regex(bucketNamePattern, 'must be the name of a bucket')),
})

const bucketStateSchema = v.object({
  bucket: v.string(),
  /** The name (k51…) that the bucket is or was published under. */
  name: v.nullable(v.string()),
  /** CID of the stored folder that the name points to. */
  cid: v.nullable(v.string()),
  isPublished: v.boolean(),
  /** Whether the name points to the newest objects: false for some seconds after a change. */
  isCurrent: v.boolean(),
  /** Code of the error that keeps the bucket from being published. */
  error: v.nullable(v.string()),
})

/** A bucket of an account, and the name that it is published under. */
export type S3BucketState = v.InferOutput<typeof bucketStateSchema>

/** `GET /api/s3/buckets/{bucket}/name`: returns the name of a bucket, and the CID that it points to. */
export const getS3Bucket = defineCall({
  id: 'getS3Bucket',
  method: 'GET',
  path: '/api/s3/buckets/{bucket}/name',
  host: 'api',
  tag: 'S3',
  summary: 'Get the name of an S3 bucket',
  auth: 'apiKey',
  scope: 'files:read',
  params: bucketParams,
  response: { kind: 'json', schema: bucketStateSchema },
  errors: [...authErrors, 'NOT_FOUND'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `PUT /api/s3/buckets/{bucket}/name`: publishes a bucket as a folder under a name. */
export const publishS3Bucket = defineCall({
  id: 'publishS3Bucket',
  method: 'PUT',
  path: '/api/s3/buckets/{bucket}/name',
  host: 'api',
  tag: 'S3',
  summary: 'Publish an S3 bucket under a name',
  description:
    'Stores the bucket as a folder, with each key as a path, and publishes it under a name of the account, which is created the first time. From then on, the service publishes each change of the objects within seconds. The folder counts towards the account with the size of its own nodes.',
  auth: 'apiKey',
  scope: 'files:write',
  params: bucketParams,
  response: { kind: 'json', schema: bucketStateSchema },
  errors: [
    ...authErrors,
    'NOT_FOUND',
    'NAME_LIMIT',
    'NAME_KEY_WITH_OWNER',
    'QUOTA_EXCEEDED',
    'TOO_MANY_PARTS',
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'OVERLOADED',
    'INVALID_CONFIGURATION',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs, perMinute: namePublishesPerMinute, isShared: true },
  idempotent: true,
})

/** `DELETE /api/s3/buckets/{bucket}/name`: stops publishing a bucket. */
export const unpublishS3Bucket = defineCall({
  id: 'unpublishS3Bucket',
  method: 'DELETE',
  path: '/api/s3/buckets/{bucket}/name',
  host: 'api',
  tag: 'S3',
  summary: 'Stop publishing an S3 bucket',
  description:
    'Deletes the stored folder. The account keeps the name, whose last record still points to the folder, and the bucket gets the same name when it is published again.',
  auth: 'apiKey',
  scope: 'files:write',
  params: bucketParams,
  response: { kind: 'json', schema: bucketStateSchema },
  errors: [...authErrors, 'NOT_FOUND'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})
