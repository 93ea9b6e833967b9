import { authorize, type S3Call } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import type { S3Request } from '../s3-request.ts'
import { encodeUri } from '../signature/canonical-request.ts'

const maxKeys = 1000

/** Reads the common parameters of listings, and requires the right to the prefix. */
export async function openList(call: S3Call, limitName = 'max-keys') {
  const { query } = call.request
  const encoding = query.get('encoding-type')
  if (encoding !== undefined && encoding !== 'url')
    throw s3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  const text = query.get(limitName) ?? ''
  if (!/^\d{0,10}$/.test(text)) throw s3Error('InvalidArgument', `${limitName} must be a whole number.`)
  const prefix = query.get('prefix') ?? ''
  await authorize(call, 'read', prefix)
  return {
    prefix,
    delimiter: query.get('delimiter') ?? '',
    limit: Math.min(maxKeys, text === '' ? maxKeys : Number(text)),
    encode: (key: string) => (encoding === 'url' ? encodeUri(key).replaceAll('%2F', '/') : key),
  }
}

/**
 * Whether a document shows CIDs. S3 names optional elements in this header. Clients of S3 skip a CID, but parse it, which takes a
 * fifth of their time, or reject the document (minio-java).
 */
export function asksForCid({ header }: Pick<S3Request, 'header'>): boolean {
  const names = (header('x-amz-optional-object-attributes') ?? '').split(',')
  return names.some((name) => name.trim() === 'CID')
}
