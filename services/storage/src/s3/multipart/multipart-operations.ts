import type { ByteRange } from '@cairn/service'
import { feedFrom } from '../../multipart/read-multipart.ts'
import {
  type ChecksumAlgorithm,
  type ChecksumType,
  checksumAlgorithms,
  checksumElement,
  checksumElements,
  checksumHeader,
  readAlgorithm,
  readDeclaredChecksum,
} from '../checksums/checksums.ts'
import { asksForCid } from '../listings/open-list.ts'
import { readConditions } from '../objects/conditions.ts'
import { openCopySource } from '../objects/copy-operations.ts'
import { checksumOf } from '../objects/object-info.ts'
import { objectLocation } from '../objects/object-location.ts'
import { bucketHeaders, maxPutBytes, readNewObject } from '../objects/object-operations.ts'
import { readObject } from '../objects/read-object.ts'
import { openBody, readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, maxXmlBytes, type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { type SlowDocument, slowAnswer } from '../slow-answer.ts'
import { isoTime, ownerXml } from '../xml/elements.ts'
import { type ReadElement, readXml } from '../xml/read-xml.ts'
import { writeXml } from '../xml/write-xml.ts'
import { completeMultipart, type NamedPart, requireCompleted } from './complete-multipart.ts'
import {
  abortMultipart,
  algorithmOf,
  createMultipart,
  findMultipart,
  listParts,
  type Multipart,
  maxPartNumber,
  noSuchUpload,
  type Part,
  putPart,
  requireMultipart,
} from './parts.ts'

export const createMultipartOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { context, caller, request } = call
  const checksum = readChecksumChoice(request.header)
  const id = await createMultipart(context, caller.address, request, readNewObject(request), checksum)
  return xmlAnswer(
    'InitiateMultipartUploadResult',
    { Bucket: request.bucket, Key: request.key, UploadId: id },
    checksum === undefined
      ? {}
      : { 'x-amz-checksum-algorithm': checksum.algorithm, 'x-amz-checksum-type': checksum.type },
  )
}

function readChecksumChoice(
  header: (name: string) => string | undefined,
): { algorithm: ChecksumAlgorithm; type: ChecksumType } | undefined {
  const name = header('x-amz-checksum-algorithm')
  const type = header('x-amz-checksum-type')?.toUpperCase()
  if (name === undefined) {
    if (type === undefined) return undefined
    throw s3Error('InvalidRequest', 'x-amz-checksum-type requires x-amz-checksum-algorithm.')
  }
  const algorithm = readAlgorithm(name)
  if (type !== undefined && type !== 'FULL_OBJECT' && type !== 'COMPOSITE') {
    throw s3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
  }
  const isWhole = type === 'FULL_OBJECT' || (type === undefined && algorithm === 'CRC64NVME')
  const isPossible = isWhole ? algorithm.startsWith('CRC') : algorithm !== 'CRC64NVME'
  if (!isPossible) throw s3Error('InvalidRequest', `The ${type} checksum type cannot be used with ${algorithm}.`)
  return { algorithm, type: isWhole ? 'FULL_OBJECT' : 'COMPOSITE' }
}

export const uploadPartOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { context, request, body } = call
  const number = readPartNumber(request.query.get('partNumber'))
  const upload = await requireUpload(call)
  const algorithm = algorithmOf(upload)
  const declared = readDeclaredChecksum(request.header)?.algorithm ?? algorithm
  if (algorithm !== undefined && declared !== algorithm) {
    throw s3Error('InvalidRequest', `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}`)
  }
  const part = await putPart(context, upload, number, openBody(body, maxPutBytes, algorithm))
  return emptyAnswer(200, {
    ETag: `"${part.etag}"`,
    ...(declared === undefined || part.checksum === null ? {} : { [checksumHeader(declared)]: part.checksum }),
  })
}

export const uploadPartCopyOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { context, request, body } = call
  const number = readPartNumber(request.query.get('partNumber'))
  const upload = await requireUpload(call)
  const { row: source, headers } = await openCopySource(call)
  const { start, end } = readSourceRange(request.header('x-amz-copy-source-range'), source.size_bytes)
  const algorithm = algorithmOf(upload)
  const copied = openBody(
    {
      ...body,
      payload: { kind: 'unsigned' },
      feed: feedFrom(start === end ? [] : readObject(call, source, { start, end })),
      header: (name) => (name === 'content-length' ? String(end - start) : undefined),
    },
    maxPutBytes,
    algorithm,
  )
  const copy = async (): Promise<SlowDocument> => {
    const part = await putPart(context, upload, number, copied)
    const result = { LastModified: isoTime(part.created_at), ETag: `"${part.etag}"`, ...partElements(algorithm, part) }
    return { xml: writeXml('CopyPartResult', result), headers }
  }
  return slowAnswer(copy(), { requestId: call.id, onFailure: call.logFailure })
}

/**
 * Reads the range of a copy. Unlike the range of a read it is never shortened, because the client would not notice.
 * @throws CairnError `InvalidArgument`, `InvalidRange` for one beyond the source
 */
function readSourceRange(text: string | undefined, sizeBytes: number): ByteRange {
  if (text === undefined) return { start: 0, end: sizeBytes }
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text)
  const start = Number(match?.[1])
  const end = Number(match?.[2]) + 1
  if (!(start < end)) {
    throw s3Error('InvalidArgument', 'The x-amz-copy-source-range value must be of the form bytes=first-last.')
  }
  if (end > sizeBytes) {
    throw s3Error('InvalidRange', undefined, { RangeRequested: text, ActualObjectSize: sizeBytes })
  }
  return { start, end }
}

export const completeMultipartOperation: S3Operation = async (call) => {
  const bucket = await authorize(call, 'write')
  const { context, request, body, signal } = call
  const parts = readNamedParts(await readSmallBody({ ...body, header: withoutChecksum(request.header) }, maxXmlBytes))
  const id = readUploadId(call)
  const upload = await findMultipart(context, request, id)
  const declared = readDeclaredComposite(request.header)
  if (upload !== undefined) requireSameChecksum(upload, declared, request.header('x-amz-checksum-type'))
  const conditions = readConditions(request.header)
  const declaredBytes = readDeclaredSize(request.header)
  const complete = async (): Promise<SlowDocument> => {
    const row =
      upload === undefined
        ? await requireCompleted(context, request, id, parts)
        : await completeMultipart(context, upload, parts, {
            conditions,
            declared,
            declaredBytes,
            digests: body.digests,
            signal,
          })
    const xml = writeXml('CompleteMultipartUploadResult', {
      Location: objectLocation(context, request, row.key),
      Bucket: row.bucket,
      Key: row.key,
      ETag: `"${row.etag}"`,
      ...checksumElements(checksumOf(row)),
      CID: asksForCid(request) ? row.cid : undefined,
    })
    return { xml, headers: { 'x-amz-meta-cid': row.cid, ...bucketHeaders(bucket, row) } }
  }
  return slowAnswer(complete(), { requestId: call.id, onFailure: call.logFailure })
}

/** The checksum of this request covers the object, not the XML. */
function withoutChecksum(header: (name: string) => string | undefined): (name: string) => string | undefined {
  return (name) => (name.startsWith('x-amz-checksum-') ? undefined : header(name))
}

function readDeclaredComposite(header: (name: string) => string | undefined) {
  for (const algorithm of checksumAlgorithms) {
    const value = header(checksumHeader(algorithm))
    if (value !== undefined) return { algorithm, value }
  }
  return undefined
}

/**
 * Requires the kind of checksum that the upload was created with: any other would be compared after reading all parts.
 * @throws CairnError `InvalidRequest`
 */
function requireSameChecksum(
  upload: Multipart,
  declared: ReturnType<typeof readDeclaredComposite>,
  type: string | undefined,
): void {
  const algorithm = algorithmOf(upload)
  if (declared !== undefined && declared.algorithm !== algorithm) {
    throw s3Error(
      'InvalidRequest',
      algorithm === undefined
        ? 'The upload was created without a checksum algorithm. The complete request must not have a checksum.'
        : `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}`,
    )
  }
  if (type !== undefined && type.toUpperCase() !== (upload.checksum_type ?? '')) {
    throw s3Error(
      'InvalidRequest',
      `The upload was created using the ${upload.checksum_type ?? 'default'} checksum mode. The complete request must use the same checksum mode.`,
    )
  }
}

/** Reads the size that the object must have. @throws CairnError `InvalidArgument` */
function readDeclaredSize(header: (name: string) => string | undefined): number | undefined {
  const text = header('x-amz-mp-object-size')
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw s3Error('InvalidArgument', 'x-amz-mp-object-size must be a whole number.')
  return Number(text)
}

function readNamedParts(bytes: Uint8Array): NamedPart[] {
  return readXml(bytes, 'CompleteMultipartUpload')
    .all('Part')
    .map((part) => ({
      number: readPartNumber(part.textOf('PartNumber')),
      etag: (part.textOf('ETag') ?? '').replace(/^"(.*)"$/, '$1'),
      checksum: readPartChecksum(part),
    }))
}

function readPartChecksum(part: ReadElement): NamedPart['checksum'] {
  for (const algorithm of checksumAlgorithms) {
    const value = part.textOf(checksumElement(algorithm))
    if (value !== undefined) return { algorithm, value: value.trim() }
  }
  return undefined
}

export const abortMultipartOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { id } = await requireUpload(call)
  if (!(await abortMultipart(call.context, id))) throw noSuchUpload(id)
  return emptyAnswer(204)
}

const maxListed = 1000

export const listPartsOperation: S3Operation = async (call) => {
  await authorize(call, 'read')
  const { request, caller, context } = call
  const upload = await requireUpload(call)
  const marker = readWhole(request.query.get('part-number-marker'), 0)
  const limit = Math.min(maxListed, readWhole(request.query.get('max-parts'), maxListed))
  const rest = (await listParts(context.db.read, upload.id)).filter(({ part_number }) => part_number > marker)
  const listed = rest.slice(0, limit)
  const algorithm = algorithmOf(upload)
  return xmlAnswer('ListPartsResult', {
    Bucket: request.bucket,
    Key: request.key,
    UploadId: upload.id,
    Initiator: ownerXml(caller.address),
    Owner: ownerXml(caller.address),
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: upload.checksum_algorithm ?? undefined,
    ChecksumType: upload.checksum_type ?? undefined,
    PartNumberMarker: marker,
    NextPartNumberMarker: listed.at(-1)?.part_number ?? marker,
    MaxParts: limit,
    IsTruncated: limit > 0 && listed.length < rest.length,
    Part: listed.map((part) => ({
      PartNumber: part.part_number,
      LastModified: isoTime(part.created_at),
      ETag: `"${part.etag}"`,
      Size: part.size_bytes,
      ...partElements(algorithm, part),
    })),
  })
}

/** Returns the element of a part's checksum, by the algorithm of its upload. */
function partElements(algorithm: ChecksumAlgorithm | undefined, { checksum }: Part): Record<string, string> {
  return algorithm === undefined || checksum === null ? {} : { [checksumElement(algorithm)]: checksum }
}

function requireUpload(call: S3Call): Promise<Multipart> {
  const { context, request } = call
  return requireMultipart(context, request, readUploadId(call))
}

function readPartNumber(text: string | undefined): number {
  const number = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0
  if (number >= 1 && number <= maxPartNumber) return number
  throw s3Error('InvalidArgument', `Part number must be an integer between 1 and ${maxPartNumber}, inclusive`)
}

function readWhole(text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw s3Error('InvalidArgument', 'A marker or limit must be a whole number.')
}

function readUploadId({ request }: S3Call): string {
  return request.query.get('uploadId') ?? ''
}
