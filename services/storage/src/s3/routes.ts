import {
  CairnError,
  createS3Credentials,
  getS3Bucket,
  type NetworkProfile,
  publishS3Bucket,
  unpublishS3Bucket,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { createS3Credential } from './access/credentials.ts'
import { describeBucket, publishBucket, unpublishBucket } from './publish/publish-bucket.ts'

/** Registers the calls about access keys, and names of buckets. */
export function registerS3Routes(app: FastifyInstance, context: Context, profile: () => NetworkProfile): void {
  route(app, context, createS3Credentials, async ({ input: { body }, caller }) => {
    const { s3 } = profile()
    if (s3 === undefined) {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'This network has no S3 API',
        hint: 'The operator can enable it with CAIRN_S3_API_PORT.',
      })
    }
    const keys = await createS3Credential(context, caller, body.rules)
    return { endpoint: s3.endpoint, region: s3.region, ...keys }
  })
  route(app, context, getS3Bucket, ({ input: { params }, caller }) =>
    describeBucket(context, caller.address, params.bucket),
  )
  route(app, context, publishS3Bucket, ({ input: { params }, caller, signal }) =>
    publishBucket(context, caller.address, params.bucket, signal),
  )
  route(app, context, unpublishS3Bucket, ({ input: { params }, caller }) =>
    unpublishBucket(context, caller.address, params.bucket),
  )
}
