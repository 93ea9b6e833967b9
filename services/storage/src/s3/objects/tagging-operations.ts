import { readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, maxXmlBytes, type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { readVersionId } from '../s3-request.ts'
import { type BucketRow, type ObjectRow, updateBucket } from '../store.ts'
import { type ReadElement, readXml } from '../xml/read-xml.ts'
import { infoOf, requireTags, type Tag } from './object-info.ts'
import { versionHeaders } from './object-operations.ts'
import { requireObject } from './objects.ts'

export const getObjectTagging: S3Operation = async (call) => {
  const bucket = await authorize(call, 'read')
  const { context, request } = call
  const row = await requireObject(context.db.read, request, readVersionId(request.query))
  return tagsAnswer(infoOf(row).tags, versionHeaders(bucket, row))
}

export const putObjectTagging: S3Operation = async (call) => {
  const bucket = await authorize(call, 'write')
  return emptyAnswer(200, versionHeaders(bucket, await setTags(call, await readTags(call, 'object'))))
}

export const deleteObjectTagging: S3Operation = async (call) => {
  const bucket = await authorize(call, 'write')
  return emptyAnswer(204, versionHeaders(bucket, await setTags(call, [])))
}

async function readTags({ body }: S3Call, of: 'object' | 'bucket'): Promise<Tag[]> {
  return readTagSet(readXml(await readSmallBody(body, maxXmlBytes), 'Tagging'), of)
}

/** Reads the tags of an element `Tagging`. @throws CairnError `MalformedXML`, `InvalidTag` */
export function readTagSet(tagging: ReadElement, of: 'object' | 'bucket' = 'object'): Tag[] {
  const sets = tagging.all('TagSet')
  if (sets.length !== 1) throw s3Error('MalformedXML')
  return requireTags(
    sets.flatMap((set) =>
      set.all('Tag').map((tag) => ({ key: tag.textOf('Key') ?? '', value: tag.textOf('Value') ?? '' })),
    ),
    of,
  )
}

/** Sets the tags of an object, and returns it. @throws CairnError `NoSuchBucket`, and as {@link requireObject} */
function setTags({ context, caller, request }: S3Call, tags: readonly Tag[]): Promise<ObjectRow> {
  const versionId = readVersionId(request.query)
  return context.db.write(async (trx) => {
    // Since the body was awaited, the bucket may have gone to another account.
    await updateBucket(trx, { address: caller.address, name: request.bucket }, {})
    const row = await requireObject(trx, request, versionId)
    await trx
      .updateTable('s3_object')
      .set({ tags: tags.length === 0 ? null : JSON.stringify(tags) })
      .where('version_id', '=', row.version_id)
      .execute()
    return row
  })
}

function tagsAnswer(tags: readonly Tag[], headers: Record<string, string> = {}) {
  const tagSet = { Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })) }
  return xmlAnswer('Tagging', { TagSet: tagSet }, headers)
}

export const getBucketTagging: S3Operation = async (call) => {
  const tags = tagsOfBucket(await authorize(call, 'read'))
  if (tags.length === 0) throw s3Error('NoSuchTagSet')
  return tagsAnswer(tags)
}

export const putBucketTagging: S3Operation = async (call) => {
  await authorize(call, 'write')
  await setBucketTags(call, await readTags(call, 'bucket'))
  return emptyAnswer(200)
}

export const deleteBucketTagging: S3Operation = async (call) => {
  await authorize(call, 'write')
  await setBucketTags(call, [])
  return emptyAnswer(204)
}

function tagsOfBucket({ tags }: BucketRow): readonly Tag[] {
  return infoOf({ headers: '{}', metadata: '{}', tags }).tags
}

async function setBucketTags({ context, caller, request }: S3Call, tags: readonly Tag[]): Promise<void> {
  const change = { tags: tags.length === 0 ? null : JSON.stringify(tags) }
  await context.db.write((trx) => updateBucket(trx, { address: caller.address, name: request.bucket }, change))
}
