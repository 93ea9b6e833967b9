import { requireRight } from '../access/access-rules.ts'
import { requirePrivateAcl } from '../access/private-acl.ts'
import { readToken, writeToken } from '../listings/continuation-token.ts'
import { readSmallBody } from '../read-body.ts'
import { authorize, authorizeBucketRead, emptyAnswer, maxXmlBytes, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { isoTime, ownerXml } from '../xml/elements.ts'
import { readXml } from '../xml/read-xml.ts'
import { createBucket, deleteBucket, listBuckets } from './buckets.ts'

/** Maximum of `max-buckets`, as in S3. */
const maxListedBuckets = 10_000

export const listBucketsOperation: S3Operation = async ({ context, caller, request: { query }, region }) => {
  const text = query.get('max-buckets')
  const limit = text === undefined ? maxListedBuckets : /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxListedBuckets) {
    throw s3Error('InvalidArgument', `max-buckets must be a whole number from 1 to ${maxListedBuckets}.`)
  }
  const token = query.get('continuation-token')
  const after = token === undefined ? '' : readToken(token)
  const prefix = query.get('prefix')
  const isHere = (query.get('bucket-region') ?? region) === region
  const rows = (await listBuckets(context, caller)).filter(
    ({ name }) => isHere && name > after && name.startsWith(prefix ?? ''),
  )
  const listed = rows.slice(0, limit)
  const last = listed.at(-1)
  return xmlAnswer('ListAllMyBucketsResult', {
    Owner: ownerXml(caller.address),
    Buckets: {
      Bucket: listed.map((row) => ({ Name: row.name, CreationDate: isoTime(row.created_at), BucketRegion: region })),
    },
    ContinuationToken: last === undefined || listed.length === rows.length ? undefined : writeToken(last.name),
    Prefix: prefix,
  })
}

export const createBucketOperation: S3Operation = async ({ context, caller, request, body, region }) => {
  requireRight(caller, 'write', request.bucket, '')
  const bytes = await readSmallBody(body, maxXmlBytes)
  if (bytes.length > 0) {
    const wanted = readXml(bytes, 'CreateBucketConfiguration').textOf('LocationConstraint')
    if (wanted !== undefined && wanted !== '' && wanted !== region) throw s3Error('IllegalLocationConstraintException')
  }
  requirePrivateAcl(request)
  if (request.header('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true') throw s3Error('NotImplemented')
  await createBucket(context, caller, { name: request.bucket, region })
  return emptyAnswer(200, { location: `/${request.bucket}` })
}

export const headBucketOperation: S3Operation = async (call) => {
  await authorizeBucketRead(call)
  return emptyAnswer(200, { 'x-amz-bucket-region': call.region, 'content-type': 'application/xml' })
}

export const deleteBucketOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  await deleteBucket(call.context, call.caller, call.request.bucket)
  return emptyAnswer(204)
}

export const getBucketLocation: S3Operation = async (call) => {
  await authorizeBucketRead(call)
  // S3 returns an empty location for its first region.
  return xmlAnswer('LocationConstraint', call.region === 'us-east-1' ? '' : call.region)
}
