import { buildBucketFolder } from './bucket-folder.ts'
import { authorize, type S3Operation, xmlAnswer } from './s3-call.ts'

/**
 * Returns the CID of a bucket as a folder, and the name that it is published under. Computes the CID from the index, without
 * storing anything.
 */
export const getBucketCid: S3Operation = async (call) => {
  const { ipns_name, published_revision } = await authorize(call, 'read')
  const { context, request, signal } = call
  const folder = await buildBucketFolder(context, request.bucket, { put: () => undefined }, signal)
  const cid = folder.cid.toString()
  const name = published_revision === null ? null : ipns_name
  return xmlAnswer(
    'BucketCid',
    {
      Bucket: request.bucket,
      CID: cid,
      Name: name ?? undefined,
      ObjectCount: folder.objectCount,
      SkippedCount: folder.skippedCount,
    },
    { 'x-amz-meta-cid': cid, ...(name === null ? {} : { 'x-amz-meta-ipns-name': name }) },
  )
}
