import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { copyUpload, type RecordedRoot, readMimeType } from '../uploads/uploads.ts'
import { requireRight } from './access-rules.ts'
import { isoTime } from './bucket-operations.ts'
import { requireBucket } from './buckets.ts'
import { isUnchanged, readConditions, requireWritable } from './conditions.ts'
import { checksumOf, infoOf, partSizesOf } from './object-info.ts'
import { bucketHeaders, readNewObject } from './object-operations.ts'
import { listedName, openVersion, requireReadable } from './objects.ts'
import { authorize, requireExpectedOwner, type S3Call, type S3Operation, xmlAnswer } from './s3-call.ts'
import { s3Error } from './s3-error.ts'
import type { S3Request } from './s3-request.ts'
import { decodeUri } from './signature/canonical-request.ts'
import { type ObjectRow, selectObject, versionIdOf } from './store.ts'

/** Copies an object within the service without reading or writing its bytes. */
export const copyObjectOperation: S3Operation = async (call) => {
  const bucket = await authorize(call, 'write')
  const { context, caller, request } = call
  const asked = readNewObject(request)
  const source = await openCopySource(call)
  const replaces = readDirective(call, 'x-amz-metadata-directive')
  const replacesTags = readDirective(call, 'x-amz-tagging-directive')
  const isSame = source.bucket === request.bucket && source.key === request.key && source.is_latest === 1
  if (isSame && !replaces) {
    throw s3Error(
      'InvalidRequest',
      'This copy request is illegal because it copies an object to itself without a change.',
    )
  }
  const kept = infoOf(source)
  const info = { ...(replaces ? asked : kept), tags: replacesTags ? asked.tags : kept.tags }
  const conditions = readConditions(request.header)
  requireWritable(conditions, await selectObject(context.db.read, request.bucket, request.key))
  const version = openVersion(context, caller.address, request)
  const listed = { name: listedName(request), mimeType: readMimeType(info.headers['content-type']) }
  const copied = {
    info,
    etag: source.etag,
    checksum: checksumOf(source),
    partSizes: partSizesOf(source),
    conditions,
  }
  const record = (trx: Kysely<Schema>, root: RecordedRoot) => version.record(trx, root, copied)
  await copyUpload(context, caller.address, source.version_id, listed, record, version.lock)
  const row = version.row()
  return xmlAnswer(
    'CopyObjectResult',
    { LastModified: isoTime(row.created_at), ETag: `"${row.etag}"` },
    { 'x-amz-meta-cid': row.cid, ...bucketHeaders(bucket, row), ...copiedHeaders(request, source) },
  )
}

/** Returns the header that names the copied version, if the request named one. */
function copiedHeaders({ header }: S3Request, source: ObjectRow): Record<string, string> {
  const isNamed = header('x-amz-copy-source')?.includes('?versionId=') === true
  return isNamed ? { 'x-amz-copy-source-version-id': versionIdOf(source) } : {}
}

/**
 * Returns the source of a copy, after checking the caller's right to read it and the conditions.
 * @throws CairnError `InvalidArgument`, `NoSuchBucket`, `PreconditionFailed`, and as `requireRight` and `requireReadable`
 */
export async function openCopySource({ context, caller, request }: S3Call): Promise<ObjectRow> {
  const text = request.header('x-amz-copy-source') ?? ''
  const [, path = '', versionId] = /^\/?(.*?)(?:\?versionId=([\w-]+))?$/s.exec(text) ?? []
  const decoded = decodeUri(path)
  const slash = decoded.indexOf('/')
  if (slash < 1 || slash === decoded.length - 1) throw s3Error('InvalidArgument', 'The copy source must be bucket/key.')
  const target = { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1) }
  requireRight(caller, 'read', target.bucket, target.key)
  const bucket = await requireBucket(context, caller, target.bucket)
  requireExpectedOwner(request, 'x-amz-source-expected-bucket-owner', bucket)
  const row = await requireReadable(context, target, versionId)
  const conditions = readConditions(request.header, 'x-amz-copy-source-')
  if (isUnchanged(conditions, { etag: row.etag, createdAt: row.created_at })) throw s3Error('PreconditionFailed')
  return row
}

function readDirective({ request }: S3Call, name: string): boolean {
  const directive = request.header(name) ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw s3Error('InvalidArgument', `${name} must be COPY or REPLACE.`)
  return directive === 'REPLACE'
}
