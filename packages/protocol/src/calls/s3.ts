import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { s3RuleSchema } from '../s3-rule.ts'

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
    'Creates an access key ID and a secret access key for the S3 API. They have the rights of the API key within `rules`, and expire with it: revoke the API key to revoke them. An empty list of rules gives access to all buckets of the account.',
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
