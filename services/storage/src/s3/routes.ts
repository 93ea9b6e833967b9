import { CairnError, createS3Credentials, type NetworkProfile } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { createS3Credential } from './credentials.ts'

/** Registers the call that creates access keys. */
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
}
