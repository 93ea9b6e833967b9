import { checksumKindOf } from '../objects/object-info.ts'
import { type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { isoTime, ownerXml } from '../xml/elements.ts'
import { escapeText, Markup, writeElement, type XmlRecord } from '../xml/write-xml.ts'
import { readToken, writeToken } from './continuation-token.ts'
import { type ListEntry, type ListedObject, listObjects } from './list-objects.ts'
import { asksForCid, openList } from './open-list.ts'

export const listObjectsV1: S3Operation = async (call) => {
  const { query } = call.request
  const { delimiter, prefix, encode, limit } = await openList(call)
  const marker = query.get('marker') ?? ''
  const page = await listPage(call, { delimiter, prefix, after: marker, limit })
  return xmlAnswer('ListBucketResult', {
    Name: call.request.bucket,
    Prefix: encode(prefix),
    Marker: encode(marker),
    NextMarker: page.next === undefined ? undefined : encode(page.next),
    MaxKeys: limit,
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    IsTruncated: page.next !== undefined,
    EncodingType: query.get('encoding-type'),
    ...entriesXml(page.entries, { encode, owner: call.caller.address, showsCid: asksForCid(call.request) }),
  })
}

export const listObjectsV2: S3Operation = async (call) => {
  const { query } = call.request
  const { delimiter, prefix, encode, limit } = await openList(call)
  const token = query.get('continuation-token')
  const startAfter = query.get('start-after') ?? ''
  const after = token === undefined ? startAfter : readToken(token)
  const page = await listPage(call, { delimiter, prefix, after, limit })
  return xmlAnswer('ListBucketResult', {
    Name: call.request.bucket,
    Prefix: encode(prefix),
    StartAfter: startAfter === '' ? undefined : encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: page.next === undefined ? undefined : writeToken(page.next),
    KeyCount: page.entries.length,
    MaxKeys: limit,
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    IsTruncated: page.next !== undefined,
    EncodingType: query.get('encoding-type'),
    ...entriesXml(page.entries, {
      encode,
      owner: query.get('fetch-owner') === 'true' ? call.caller.address : undefined,
      showsCid: asksForCid(call.request),
    }),
  })
}

function listPage(
  { context, request, signal }: S3Call,
  { prefix, delimiter, after, limit }: { prefix: string; delimiter: string; after: string; limit: number },
) {
  return listObjects(context.db.read, { bucket: request.bucket, prefix, delimiter, after, maxEntries: limit, signal })
}

/** How a listing shows its objects. */
type EntryStyle = { encode: (key: string) => string; owner: string | undefined; showsCid: boolean }

function entriesXml(entries: readonly ListEntry[], { encode, owner, showsCid }: EntryStyle): XmlRecord {
  const ownerText = owner === undefined ? '' : writeElement('Owner', ownerXml(owner))
  let contents = ''
  for (const entry of entries) {
    if (entry.kind === 'object') contents += writeContents(entry.row, encode, ownerText, showsCid)
  }
  return {
    Contents: new Markup(contents),
    CommonPrefixes: entries.flatMap((entry) => (entry.kind === 'prefix' ? [{ Prefix: encode(entry.prefix) }] : [])),
  }
}

/**
 * Writes an object of a listing. A page has a thousand, so this takes most of its time, and parsing it takes even longer. An ETag
 * has hexadecimal digits and a hyphen only, and quotes need no escape in text.
 */
function writeContents(
  row: ListedObject,
  encode: (key: string) => string,
  ownerText: string,
  showsCid: boolean,
): string {
  const checksum = checksumKindOf(row)
  const checksumText =
    checksum === undefined
      ? ''
      : `<ChecksumAlgorithm>${checksum.algorithm}</ChecksumAlgorithm><ChecksumType>${checksum.type}</ChecksumType>`
  const cidText = showsCid ? `<CID>${row.cid}</CID>` : ''
  return `<Contents><Key>${escapeText(encode(row.key))}</Key><LastModified>${isoTime(row.created_at)}</LastModified><ETag>"${row.etag}"</ETag>${checksumText}<Size>${row.size_bytes}</Size>${ownerText}<StorageClass>STANDARD</StorageClass>${cidText}</Contents>`
}
