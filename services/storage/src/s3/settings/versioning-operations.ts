import { readSmallBody } from '../read-body.ts'
import { authorize, authorizeBucketRead, emptyAnswer, maxXmlBytes, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { updateBucket } from '../store.ts'
import { readXml } from '../xml/read-xml.ts'

export const getBucketVersioning: S3Operation = async (call) => {
  const { versioning } = await authorizeBucketRead(call)
  return xmlAnswer('VersioningConfiguration', { Status: versioning ?? undefined })
}

/** Once set, versioning can be suspended but not removed. */
export const putBucketVersioning: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { context, caller, request, body } = call
  const document = readXml(await readSmallBody(body, maxXmlBytes), 'VersioningConfiguration')
  if (document.textOf('MfaDelete') === 'Enabled') throw s3Error('NotImplemented', 'MFA delete is not supported.')
  const status = document.textOf('Status')
  if (status !== 'Enabled' && status !== 'Suspended') {
    throw s3Error('IllegalVersioningConfigurationException')
  }
  const bucket = { address: caller.address, name: request.bucket }
  await context.db.write((trx) => updateBucket(trx, bucket, { versioning: status }))
  return emptyAnswer(200)
}
