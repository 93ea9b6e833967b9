import { CairnError } from '@cairn/protocol'
import { requireRight } from '../access/access-rules.ts'
import { requireBucket } from '../access/require-bucket.ts'
import { readSmallBody } from '../read-body.ts'
import { maxXmlBytes, requireExpectedOwner, type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3CodeOf, s3Error } from '../s3-error.ts'
import { requireKey, requireVersionId } from '../s3-request.ts'
import { readXml } from '../xml/read-xml.ts'
import type { XmlRecord } from '../xml/write-xml.ts'
import type { DeleteConditions } from './conditions.ts'
import { deleteObject } from './objects.ts'

/** Maximum number of keys per request, as in S3. */
const maxKeys = 1000
/** Number of concurrent deletions. */
const deletionsAtOnce = 16

type Doomed = { key: string; versionId: string | undefined; conditions: DeleteConditions }

/** Deletes many objects, and reports each failure by key. */
export const deleteObjectsOperation: S3Operation = async (call) => {
  const { context, caller, request, body } = call
  const document = readXml(await readSmallBody(body, maxXmlBytes), 'Delete')
  const bucket = await requireBucket(context, caller, request.bucket)
  requireExpectedOwner(request, 'x-amz-expected-bucket-owner', bucket)
  const doomed = document.all('Object').map((one) => {
    const key = one.textOf('Key')
    if (key === undefined || key === '') throw s3Error('MalformedXML')
    const conditions = {
      ifMatch: one.textOf('ETag'),
      lastModified: one.textOf('LastModifiedTime'),
      size: one.textOf('Size'),
    }
    return { key, versionId: one.textOf('VersionId'), conditions }
  })
  if (doomed.length === 0 || doomed.length > maxKeys) throw s3Error('MalformedXML', `Send 1 to ${maxKeys} objects.`)
  const results: { deleted?: XmlRecord; error?: XmlRecord }[] = []
  for (let at = 0; at < doomed.length; at += deletionsAtOnce) {
    results.push(...(await Promise.all(doomed.slice(at, at + deletionsAtOnce).map((one) => deleteOne(call, one)))))
  }
  const isQuiet = document.textOf('Quiet')?.trim().toLowerCase() === 'true'
  return xmlAnswer('DeleteResult', {
    Deleted: isQuiet ? [] : results.flatMap(({ deleted }) => (deleted === undefined ? [] : [deleted])),
    Error: results.flatMap(({ error }) => (error === undefined ? [] : [error])),
  })
}

async function deleteOne(
  { context, caller, request: { bucket } }: S3Call,
  { key, versionId, conditions }: Doomed,
): Promise<{ deleted?: XmlRecord; error?: XmlRecord }> {
  try {
    requireKey(key)
    if (versionId !== undefined) requireVersionId(versionId)
    requireRight(caller, 'write', bucket, key)
    const deleted = await deleteObject(context, caller, { bucket, key }, { versionId, conditions })
    const marker = deleted.isMarker ? { DeleteMarker: true, DeleteMarkerVersionId: deleted.versionId } : {}
    return { deleted: { Key: key, VersionId: versionId, ...marker } }
  } catch (thrown) {
    const error = CairnError.from(thrown)
    if (error.code === 'INTERNAL') context.failures.failed('s3 delete', thrown, 'failed to delete an object')
    return { error: { Key: key, VersionId: versionId, Code: s3CodeOf(error), Message: error.message } }
  }
}
