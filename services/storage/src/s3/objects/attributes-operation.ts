import { type Checksum, checksumElement, checksumElements } from '../checksums/checksums.ts'
import { authorize, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { readVersionId, type S3Request } from '../s3-request.ts'
import type { ObjectRow } from '../store.ts'
import type { XmlRecord } from '../xml/write-xml.ts'
import { checksumOf, httpDate, partSizesOf } from './object-info.ts'
import { versionHeaders } from './object-operations.ts'
import { requireObject } from './objects.ts'

/** Maximum number of parts per response, as in S3. */
const maxParts = 1000

const writers: Readonly<Record<string, (row: ObjectRow, request: S3Request) => XmlRecord>> = {
  ETag: (row) => ({ ETag: row.etag }),
  Checksum: (row) => ({ Checksum: row.checksum === null ? undefined : checksumElements(checksumOf(row)) }),
  ObjectParts: (row, request) => ({ ObjectParts: writeParts(partSizesOf(row), checksumOf(row), request) }),
  StorageClass: () => ({ StorageClass: 'STANDARD' }),
  ObjectSize: (row) => ({ ObjectSize: row.size_bytes }),
}

/**
 * Returns the named properties of an object, without its content.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html
 */
export const getObjectAttributes: S3Operation = async (call) => {
  const bucket = await authorize(call, 'read')
  const { context, request } = call
  const names = (request.header('x-amz-object-attributes') ?? '').split(',').map((name) => name.trim())
  const chosen = names.map((name) => {
    const write = Object.hasOwn(writers, name) ? writers[name] : undefined
    if (write === undefined) {
      throw s3Error('InvalidArgument', `x-amz-object-attributes must name some of ${Object.keys(writers).join(', ')}.`)
    }
    return write
  })
  const row = await requireObject(context.db.read, request, readVersionId(request.query))
  const found: XmlRecord = Object.assign({}, ...chosen.map((write) => write(row, request)))
  return xmlAnswer('GetObjectAttributesResponse', found, {
    'last-modified': httpDate(row.created_at),
    'x-amz-meta-cid': row.cid,
    ...versionHeaders(bucket, row),
  })
}

function writeParts(
  sizes: readonly number[] | undefined,
  checksum: Checksum | undefined,
  { header }: S3Request,
): XmlRecord | undefined {
  if (sizes === undefined) return undefined
  const marker = readNumber(header('x-amz-part-number-marker'), 0, 'x-amz-part-number-marker')
  const max = Math.min(maxParts, readNumber(header('x-amz-max-parts'), maxParts, 'x-amz-max-parts'))
  const page = sizes.slice(marker, marker + max)
  return {
    PartsCount: sizes.length,
    PartNumberMarker: marker,
    NextPartNumberMarker: marker + page.length,
    MaxParts: max,
    IsTruncated: marker + page.length < sizes.length,
    Part: page.map((size, at) => ({
      ...writePartChecksum(checksum, marker + at),
      PartNumber: marker + at + 1,
      Size: size,
    })),
  }
}

function writePartChecksum(checksum: Checksum | undefined, at: number): XmlRecord {
  const value = checksum?.parts?.[at]
  return checksum === undefined || value === undefined ? {} : { [checksumElement(checksum.algorithm)]: value }
}

function readNumber(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined) return fallback
  if (!/^\d{1,10}$/.test(text)) throw s3Error('InvalidArgument', `${name} must be a whole number.`)
  return Number(text)
}
