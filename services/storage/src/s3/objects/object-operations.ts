import { chooseRange } from '@cairn/service'
import { rangeCounts } from '../../http/if-range.ts'
import { requirePrivateAcl } from '../access/private-acl.ts'
import type { Checksum } from '../checksums/checksums.ts'
import { coveredOf, expirationHeader, readLifecycleRules } from '../lifecycle/rules.ts'
import { openBody } from '../read-body.ts'
import { authorize, emptyAnswer, type S3Operation } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { readVersionId, type S3Request } from '../s3-request.ts'
import { type BucketRow, type ObjectRow, versionIdOf } from '../store.ts'
import { isUnchanged, readConditions } from './conditions.ts'
import {
  checksumHeaders,
  checksumOf,
  describeObject,
  httpDate,
  type ObjectInfo,
  partSizesOf,
  readObjectInfo,
} from './object-info.ts'
import { deleteObject, putObject, requireReadable } from './objects.ts'
import { readObject, readSmallObject } from './read-object.ts'

/** Maximum body of a PUT and of a part, as in S3: 5 GiB. */
export const maxPutBytes = 5 * 1024 ** 3

/** Headers of unsupported features. They are rejected, because ignoring them would break a promise. */
const refusedHeaders = [
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-legal-hold',
  'x-amz-website-redirect-location',
  'x-amz-write-offset-bytes',
]

/** What describes a new object: the headers of a request, or the fields of a form. */
type NewObjectRequest = Pick<S3Request, 'header' | 'headerNames'>

/** Reads and validates the properties of a new object. @throws CairnError */
export function readNewObject(request: NewObjectRequest): ObjectInfo {
  const refused = refusedHeaders.find((name) => request.header(name) !== undefined)
  if (refused !== undefined) throw s3Error('NotImplemented', `The header ${refused} is not supported.`)
  const storageClass = request.header('x-amz-storage-class')
  if (storageClass !== undefined && storageClass !== 'STANDARD') throw s3Error('InvalidStorageClass')
  if (request.header('x-amz-server-side-encryption') !== undefined) {
    throw s3Error('NotImplemented', 'Encryption by the service is not supported. Encrypt before you upload.')
  }
  requirePrivateAcl(request)
  return readObjectInfo({ header: request.header, names: request.headerNames })
}

export const putObjectOperation: S3Operation = async (call) => {
  const bucket = await authorize(call, 'write')
  const { context, caller, request, body } = call
  const info = readNewObject(request)
  const conditions = readConditions(request.header)
  const row = await putObject(context, caller, request, openBody(body, maxPutBytes), { info, conditions })
  return emptyAnswer(200, { ...writtenHeaders(row), ...bucketHeaders(bucket, row) })
}

/** Returns the response headers of a write. */
export function writtenHeaders(row: ObjectRow): Record<string, string> {
  const checksum = checksumOf(row)
  return {
    // As S3 writes it: some clients compare the name with its case.
    ETag: `"${row.etag}"`,
    'x-amz-meta-cid': row.cid,
    ...(checksum === undefined ? {} : checksumHeaders(checksum)),
  }
}

/** Returns the header that names a version, in buckets with versioning. */
export function versionHeaders({ versioning }: BucketRow, row: ObjectRow): Record<string, string> {
  return versioning === null ? {} : { 'x-amz-version-id': versionIdOf(row) }
}

/** Returns the headers that follow from the settings of a bucket: the version, and when rules delete it. */
export function bucketHeaders(bucket: BucketRow, row: ObjectRow): Record<string, string> {
  return { ...versionHeaders(bucket, row), ...expirationOf(bucket, row) }
}

function expirationOf({ lifecycle }: BucketRow, row: ObjectRow): Record<string, string> {
  if (lifecycle === null || row.is_latest === 0) return {}
  return expirationHeader(readLifecycleRules(lifecycle), coveredOf(row), row.created_at)
}

/** Responds to GET, and to HEAD with the same headers. */
export const getObjectOperation: S3Operation = async (call) => {
  const bucket = await authorize(call, 'read')
  const { context, request } = call
  if (request.query.get('partNumber') !== undefined && request.header('range') !== undefined)
    throw s3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  const row = await requireReadable(context, request, readVersionId(request.query))
  const range = rangeOf(request, row)
  // An object of a single PUT is its own only part.
  const isWhole = range === undefined && (request.query.get('partNumber') === undefined || row.part_sizes === null)
  const headers = {
    ...describeObject(row, isWhole && request.header('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED'),
    ...bucketHeaders(bucket, row),
    ...overrides(request),
  }
  if (isUnchanged(readConditions(request.header), { etag: row.etag, createdAt: row.created_at })) {
    // Some clients verify the body against a checksum, and fail because there is none.
    const { 'content-type': _type, ...rest } = withoutChecksum(headers)
    return { status: 304, headers: rest }
  }
  const { status, start, end, extra } = chooseBytes(request, row, range)
  const described = { ...headers, ...extra, 'content-length': String(end - start) }
  if (start === end || request.method === 'HEAD') return { status, headers: described }
  const small = await readSmallObject(call, row)
  const body = small === undefined ? () => readObject(call, row, { start, end }) : small.subarray(start, end)
  return { status, headers: described, body }
}

/** Returns the Range header, unless If-Range names another state of the object. */
function rangeOf({ header }: S3Request, { etag, created_at }: ObjectRow): string | undefined {
  return rangeCounts(header('if-range'), `"${etag}"`, httpDate(created_at)) ? header('range') : undefined
}

/** Returns the requested range of bytes. @throws CairnError `InvalidRange`, `InvalidPartNumber` */
function chooseBytes(request: S3Request, row: ObjectRow, text: string | undefined) {
  const sizeBytes = row.size_bytes
  const part = request.query.get('partNumber')
  if (part !== undefined) {
    const sizes = partSizesOf(row) ?? [sizeBytes]
    const number = /^\d{1,5}$/.test(part) ? Number(part) : 0
    const size = sizes[number - 1]
    if (size === undefined) throw s3Error('InvalidPartNumber', undefined, { ActualPartCount: sizes.length })
    const start = sizes.slice(0, number - 1).reduce((sum, one) => sum + one, 0)
    const multipart =
      row.part_sizes === null
        ? {}
        : { 'x-amz-mp-parts-count': String(sizes.length), ...partChecksum(checksumOf(row), number) }
    const range = sizeBytes === 0 ? {} : { 'content-range': `bytes ${start}-${start + size - 1}/${sizeBytes}` }
    return { status: 206, start, end: start + size, extra: { ...multipart, ...range } }
  }
  const range = chooseRange(text, sizeBytes)
  // An empty object is a whole for `chooseRange`. Like any object, it ignores a malformed range.
  const isBeyondEmpty = sizeBytes === 0 && /^bytes=\d/.test(text ?? '') && chooseRange(text, 1) !== 'whole'
  if (range === 'none' || isBeyondEmpty) {
    throw s3Error('InvalidRange', undefined, { ActualObjectSize: sizeBytes })
  }
  if (range === 'whole') return { status: 200, start: 0, end: sizeBytes, extra: {} }
  const { start, end } = range
  return { status: 206, start, end, extra: { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` } }
}

/** Returns the headers that contain the checksum of a part, which clients verify its bytes against. */
function partChecksum(checksum: Checksum | undefined, number: number): Record<string, string> {
  const value = checksum?.parts?.[number - 1]
  return checksum === undefined || value === undefined ? {} : checksumHeaders({ ...checksum, value })
}

function withoutChecksum(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-checksum-')))
}

/** Returns the response headers that the query overrides. */
function overrides({ query }: S3Request): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of [
    'cache-control',
    'content-disposition',
    'content-encoding',
    'content-language',
    'content-type',
    'expires',
  ]) {
    const value = query.get(`response-${name}`)
    if (value === undefined) continue
    if (!/^[\x20-\x7e\x80-\xff]*$/.test(value))
      throw s3Error('InvalidArgument', `response-${name} contains characters that are not allowed in a header.`)
    found[name] = value
  }
  return found
}

export const deleteObjectOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { context, caller, request } = call
  const versionId = readVersionId(request.query)
  const conditions = {
    ifMatch: request.header('if-match'),
    lastModified: request.header('x-amz-if-match-last-modified-time'),
    size: request.header('x-amz-if-match-size'),
  }
  const deleted = await deleteObject(context, caller, request, { versionId, conditions })
  return emptyAnswer(204, {
    ...(deleted.versionId === undefined ? {} : { 'x-amz-version-id': deleted.versionId }),
    ...(deleted.isMarker ? { 'x-amz-delete-marker': 'true' } : {}),
  })
}
