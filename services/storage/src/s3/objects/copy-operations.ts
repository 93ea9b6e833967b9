import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { feedFrom } from '../../multipart/read-multipart.ts'
import { copyUpload, type RecordedRoot, readMimeType } from '../../uploads/uploads.ts'
import { requireRight } from '../access/access-rules.ts'
import { requireBucket } from '../access/require-bucket.ts'
import { digestBody } from '../checksums/body-digests.ts'
import { type Checksum, type ChecksumAlgorithm, checksumElements, readAlgorithm } from '../checksums/checksums.ts'
import { authorize, requireExpectedOwner, type S3Call, type S3Operation } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { decodeUri } from '../signature/canonical-request.ts'
import { type SlowDocument, slowAnswer } from '../slow-answer.ts'
import { type ObjectRow, selectObject, versionIdOf } from '../store.ts'
import { isoTime } from '../xml/elements.ts'
import { writeXml } from '../xml/write-xml.ts'
import { isUnchanged, readConditions, requireWritable } from './conditions.ts'
import { checksumOf, decodeHeader, infoOf, partSizesOf } from './object-info.ts'
import { bucketHeaders, readNewObject } from './object-operations.ts'
import { listedName, openVersion, requireReadable } from './objects.ts'
import { readObject } from './read-object.ts'

/** Copies an object within the service without reading or writing its bytes. */
export const copyObjectOperation: S3Operation = async (call) => {
  const bucket = await authorize(call, 'write')
  const { context, caller, request } = call
  const asked = readNewObject(request)
  const { row: source, headers } = await openCopySource(call)
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
  const algorithm = request.header('x-amz-checksum-algorithm')
  const wanted = algorithm === undefined ? undefined : readAlgorithm(algorithm)
  const copy = async (): Promise<SlowDocument> => {
    const checksum = await checksumOfCopy(call, source, wanted)
    const version = openVersion(context, caller.address, request)
    const listed = { name: listedName(request), mimeType: readMimeType(info.headers['content-type']) }
    const copied = { info, etag: source.etag, checksum, partSizes: partSizesOf(source), conditions }
    const record = (trx: Kysely<Schema>, root: RecordedRoot) => version.record(trx, root, copied)
    await copyUpload(context, caller.address, source.version_id, listed, record, version.lock)
    const row = version.row()
    const result = { LastModified: isoTime(row.created_at), ETag: `"${row.etag}"`, ...checksumElements(checksum) }
    const xml = writeXml('CopyObjectResult', result)
    return { xml, headers: { 'x-amz-meta-cid': row.cid, ...bucketHeaders(bucket, row), ...headers } }
  }
  return slowAnswer(copy(), { requestId: call.id, onFailure: call.logFailure })
}

/** Returns the checksum of a copy: that of its source, unless the request wants another one, which takes reading the source. */
async function checksumOfCopy(
  call: S3Call,
  source: ObjectRow,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<Checksum | undefined> {
  const kept = checksumOf(source)
  const isKept = algorithm === undefined || (kept?.algorithm === algorithm && kept.type === 'FULL_OBJECT')
  if (isKept) return kept
  const size = source.size_bytes
  const bytes = feedFrom(size === 0 ? [] : readObject(call, source, { start: 0, end: size }))
  const computing = call.body.digests.begin({ md5: false, sha256: false, checksum: algorithm }, size)
  const ignore = () => undefined
  const { checksum: value } = await digestBody(bytes, computing, ignore, ignore)
  if (value === undefined) throw new CairnError('INTERNAL')
  return { algorithm, value, type: 'FULL_OBJECT' }
}

/** The source of a copy, and the headers of a response that name its version. */
type CopySource = { row: ObjectRow; headers: Record<string, string> }

/**
 * Returns the source of a copy, after checking the caller's right to read it and the conditions.
 * @throws CairnError `InvalidArgument`, `NoSuchBucket`, `PreconditionFailed`, and as `requireRight` and `requireReadable`
 */
export async function openCopySource({ context, caller, request }: S3Call): Promise<CopySource> {
  const text = decodeHeader(request.header('x-amz-copy-source') ?? '')
  const [, path = '', versionId] = /^(.*?)(?:\?versionId=([\w-]+))?$/s.exec(text) ?? []
  // S3 reads a plus sign as a space, which is how programs with encoders for queries write it. They encode the first slash, too.
  const decoded = decodeUri(path.replaceAll('+', ' ')).replace(/^\//, '')
  const slash = decoded.indexOf('/')
  if (slash < 1 || slash === decoded.length - 1) throw s3Error('InvalidArgument', 'The copy source must be bucket/key.')
  const target = { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1) }
  requireRight(caller, 'read', target.bucket, target.key)
  const bucket = await requireBucket(context, caller, target.bucket)
  requireExpectedOwner(request, 'x-amz-source-expected-bucket-owner', bucket)
  const row = await requireReadable(context, target, versionId)
  const conditions = readConditions(request.header, 'x-amz-copy-source-')
  if (isUnchanged(conditions, { etag: row.etag, createdAt: row.created_at })) throw s3Error('PreconditionFailed')
  const hasVersion = bucket.versioning !== null || versionId !== undefined
  return { row, headers: hasVersion ? { 'x-amz-copy-source-version-id': versionIdOf(row) } : {} }
}

function readDirective({ request }: S3Call, name: string): boolean {
  const directive = request.header(name) ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw s3Error('InvalidArgument', `${name} must be COPY or REPLACE.`)
  return directive === 'REPLACE'
}
