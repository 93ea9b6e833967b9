import type { Context } from '../../context.ts'
import type { S3Request } from '../s3-request.ts'

/**
 * Returns the URL of an object in the bucket of a request, on the host that the client used: clients hand it to their users and store
 * it. A request without a host gets a path.
 */
export function objectLocation({ config }: Pick<Context, 'config'>, request: S3Request, key: string): string {
  const { publicUrl = 'http://localhost' } = config.s3Api ?? {}
  const host = request.header('host') ?? ''
  const origin = host === '' ? '' : `${new URL(publicUrl).protocol}//${host}`
  const bucket = request.isSubdomain ? '' : `/${request.bucket}`
  return `${origin}${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
}
