import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { type Checksum, checksumAlgorithms, checksumHeader } from '../checksums/checksums.ts'
import { s3Error } from '../s3-error.ts'
import type { ObjectRow } from '../store.ts'

/** Stored properties of an object. */
export type ObjectInfo = {
  /** Content headers such as Content-Type, by lower-case name. */
  headers: Readonly<Record<string, string>>
  /** User metadata, without the prefix `x-amz-meta-`. */
  metadata: Readonly<Record<string, string>>
  tags: readonly Tag[]
}
export type Tag = { key: string; value: string }

const keptHeaders = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
]
const metadataPrefix = 'x-amz-meta-'
/** Maximum metadata per object in bytes, as in S3. */
const maxMetadataBytes = 2048
/** Maximum length of a stored header, in characters. */
const maxHeaderCharacters = 2048
/** Metadata that the service sets. Clients may send it back after a read; it is ignored. */
const ownMetadata = 'cid'

/** Texts by name. Unlike `v.record`, it keeps names that objects inherit: metadata may be called `constructor`. */
const textsSchema = v.pipe(
  v.custom<object>((input) => typeof input === 'object' && input !== null),
  v.transform((texts) => Object.entries(texts)),
  v.array(v.tuple([v.string(), v.string()])),
  v.transform((texts): Record<string, string> => Object.fromEntries(texts)),
)
const tagsSchema = v.array(v.object({ key: v.string(), value: v.string() }))
const checksumTypes = ['FULL_OBJECT', 'COMPOSITE'] as const
const checksumSchema = v.object({
  algorithm: v.picklist(checksumAlgorithms),
  type: v.picklist(checksumTypes),
  value: v.string(),
  // Objects that were completed by an earlier version have none.
  parts: v.optional(v.array(v.string())),
})

type Headers = { header(name: string): string | undefined; names: readonly string[] }

/** Reads the properties of an object from a request. @throws CairnError `MetadataTooLarge`, `InvalidArgument`, `InvalidTag` */
export function readObjectInfo(headers: Headers): ObjectInfo {
  return { ...readObjectHeaders(headers), tags: readTagging(headers.header('x-amz-tagging')) }
}

function readObjectHeaders({ header, names }: Headers): Pick<ObjectInfo, 'headers' | 'metadata'> {
  const kept: Record<string, string> = {}
  for (const name of keptHeaders) {
    const value = name === 'content-encoding' ? withoutChunked(header(name)) : header(name)
    if (value === undefined || value === '') continue
    if (value.length > maxHeaderCharacters) throw s3Error('InvalidArgument', `The header ${name} is too long.`)
    requireHeader(name, value)
    kept[name] = value
  }
  // Not a record: an assignment to `__proto__` would be lost.
  const metadata = new Map<string, string>()
  let metadataBytes = 0
  for (const headerName of names) {
    if (!headerName.startsWith(metadataPrefix)) continue
    const name = headerName.slice(metadataPrefix.length)
    if (name === ownMetadata) continue
    const value = header(headerName) ?? ''
    requireHeader(headerName, value)
    metadataBytes += name.length + value.length
    metadata.set(name, value)
  }
  if (metadataBytes > maxMetadataBytes) {
    throw s3Error('MetadataTooLarge', undefined, { Size: metadataBytes, MaxSizeAllowed: maxMetadataBytes })
  }
  return { headers: kept, metadata: Object.fromEntries(metadata) }
}

/** A field of a form may have any text, but a response with it could not be sent. @throws CairnError `InvalidArgument` */
function requireHeader(name: string, value: string): void {
  if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return
  throw s3Error('InvalidArgument', 'A header, or its name, contains characters that are not allowed.', {
    ArgumentName: name.slice(0, 128),
  })
}

/** Returns the text of a header, which is read as Latin-1. Most clients send UTF-8, those of Node and Python Latin-1. */
export function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : value
}

/** Removes the transfer encoding, which is not a property of the object. */
function withoutChunked(encoding: string | undefined): string | undefined {
  return encoding
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== 'aws-chunked')
    .join(', ')
}

const maxTags = 10
/** Maximum number of tags of a bucket, as in S3. */
const maxBucketTags = 50

/** Reads the header `x-amz-tagging`: tags as a query. @throws CairnError `InvalidTag` */
function readTagging(text: string | undefined): Tag[] {
  if (text === undefined || text === '') return []
  return requireTags([...new URLSearchParams(decodeHeader(text))].map(([key, value]) => ({ key, value })))
}

/** @throws CairnError `InvalidTag` for too many, equal keys, or tags that are too long */
export function requireTags(tags: Tag[], of: 'object' | 'bucket' = 'object'): Tag[] {
  const max = of === 'object' ? maxTags : maxBucketTags
  if (tags.length > max)
    throw s3Error('InvalidTag', `${of === 'object' ? 'Object' : 'Bucket'} tags cannot be greater than ${max}`)
  if (new Set(tags.map(({ key }) => key)).size < tags.length) {
    throw s3Error('InvalidTag', 'Cannot provide multiple Tags with the same key')
  }
  for (const { key, value } of tags) {
    const isGood =
      key !== '' && key.length <= 128 && value.length <= 256 && /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u.test(key + value)
    if (!isGood) throw s3Error('InvalidTag', 'A tag is empty, too long or has characters that are not allowed')
  }
  return tags
}

/** Returns the stored properties of an object. */
export function infoOf(row: Pick<ObjectRow, 'headers' | 'metadata' | 'tags'>): ObjectInfo {
  return {
    headers: v.parse(textsSchema, JSON.parse(row.headers)),
    metadata: v.parse(textsSchema, JSON.parse(row.metadata)),
    tags: row.tags === null ? [] : v.parse(tagsSchema, JSON.parse(row.tags)),
  }
}

export function checksumOf(row: Pick<ObjectRow, 'checksum'>): Checksum | undefined {
  return row.checksum === null ? undefined : v.parse(checksumSchema, JSON.parse(row.checksum))
}

/** Returns what listings show of a checksum. A page has a thousand, so a schema would take a fifth of its time. */
export function checksumKindOf(row: Pick<ObjectRow, 'checksum'>): Pick<Checksum, 'algorithm' | 'type'> | undefined {
  if (row.checksum === null) return undefined
  const stored: { algorithm?: unknown; type?: unknown } = JSON.parse(row.checksum)
  const algorithm = checksumAlgorithms.find((one) => one === stored.algorithm)
  const type = checksumTypes.find((one) => one === stored.type)
  if (algorithm === undefined || type === undefined)
    throw new TypeError('The stored checksum of an object is not valid')
  return { algorithm, type }
}

/** Returns the part sizes of a multipart object, in bytes. */
export function partSizesOf(row: Pick<ObjectRow, 'part_sizes'>): number[] | undefined {
  return row.part_sizes === null ? undefined : v.parse(v.array(v.number()), JSON.parse(row.part_sizes))
}

/** Returns the date of an object as HTTP headers have it. */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString()
}

/** Returns the response headers of an object. */
export function describeObject(row: ObjectRow, showsChecksum: boolean): Record<string, string> {
  const { headers, metadata, tags } = infoOf(row)
  const described: Record<string, string> = {
    'content-type': 'binary/octet-stream',
    ...headers,
    ETag: `"${row.etag}"`,
    'last-modified': httpDate(row.created_at),
    'accept-ranges': 'bytes',
    'x-amz-meta-cid': row.cid,
  }
  for (const [name, value] of Object.entries(metadata)) described[`${metadataPrefix}${name}`] = value
  if (tags.length > 0) described['x-amz-tagging-count'] = String(tags.length)
  const checksum = showsChecksum ? checksumOf(row) : undefined
  if (checksum !== undefined) Object.assign(described, checksumHeaders(checksum))
  return described
}

export function checksumHeaders({ algorithm, value, type }: Checksum): Record<string, string> {
  return { [checksumHeader(algorithm)]: value, 'x-amz-checksum-type': type }
}
