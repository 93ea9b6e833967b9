import type { CairnError } from '@cairn/protocol'
import { requireRight } from '../access/access-rules.ts'
import { type ListEntry, type ListedObject, listObjects } from '../listings/list-objects.ts'
import { checksumKindOf } from '../objects/object-info.ts'
import { requireObject } from '../objects/objects.ts'
import { readSmallBody } from '../read-body.ts'
import {
  authorize,
  emptyAnswer,
  maxXmlBytes,
  type S3Call,
  type S3Operation,
  textAnswer,
  xmlAnswer,
} from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { readVersionId, type S3Request } from '../s3-request.ts'
import { encodeUri } from '../signature/canonical-request.ts'
import type { BucketRow } from '../store.ts'
import { type ReadElement, readXml } from '../xml/read-xml.ts'
import { escapeText, Markup, writeElement, writeXml, type XmlRecord } from '../xml/write-xml.ts'
import { createBucket, deleteBucket, listBuckets, setVersioning } from './buckets.ts'

const maxKeys = 1000

/** Maximum of `max-buckets`, as in S3. */
const maxListedBuckets = 10_000

export const listBucketsOperation: S3Operation = async ({ context, caller, request: { query }, region }) => {
  const text = query.get('max-buckets')
  const limit = text === undefined ? maxListedBuckets : /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxListedBuckets) {
    throw s3Error('InvalidArgument', `max-buckets must be a whole number from 1 to ${maxListedBuckets}.`)
  }
  const token = query.get('continuation-token')
  const after = token === undefined ? '' : readToken(token)
  const prefix = query.get('prefix')
  const isHere = (query.get('bucket-region') ?? region) === region
  const rows = (await listBuckets(context, caller)).filter(
    ({ name }) => isHere && name > after && name.startsWith(prefix ?? ''),
  )
  const listed = rows.slice(0, limit)
  const last = listed.at(-1)
  return xmlAnswer('ListAllMyBucketsResult', {
    Owner: ownerXml(caller.address),
    Buckets: {
      Bucket: listed.map((row) => ({ Name: row.name, CreationDate: isoTime(row.created_at), BucketRegion: region })),
    },
    ContinuationToken: last === undefined || listed.length === rows.length ? undefined : writeToken(last.name),
    Prefix: prefix,
  })
}

export const createBucketOperation: S3Operation = async ({ context, caller, request, body, region }) => {
  requireRight(caller, 'write', request.bucket, '')
  const bytes = await readSmallBody(body, maxXmlBytes)
  if (bytes.length > 0) {
    const wanted = readXml(bytes, 'CreateBucketConfiguration').textOf('LocationConstraint')
    if (wanted !== undefined && wanted !== '' && wanted !== region) throw s3Error('IllegalLocationConstraintException')
  }
  requirePrivateAcl(request)
  if (request.header('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true') throw s3Error('NotImplemented')
  await createBucket(context, caller, { name: request.bucket, region })
  return emptyAnswer(200, { location: `/${request.bucket}` })
}

export const headBucketOperation: S3Operation = async (call) => {
  await authorizeBucketRead(call)
  return emptyAnswer(200, { 'x-amz-bucket-region': call.region, 'content-type': 'application/xml' })
}

export const deleteBucketOperation: S3Operation = async (call) => {
  await authorize(call, 'write')
  await deleteBucket(call.context, call.caller, call.request.bucket)
  return emptyAnswer(204)
}

export const getBucketLocation: S3Operation = async (call) => {
  await authorizeBucketRead(call)
  // S3 returns an empty location for its first region.
  return xmlAnswer('LocationConstraint', call.region === 'us-east-1' ? '' : call.region)
}

export const getBucketVersioning: S3Operation = async (call) => {
  const { versioning } = await authorizeBucketRead(call)
  return xmlAnswer('VersioningConfiguration', { Status: versioning ?? undefined })
}

export const putBucketVersioning: S3Operation = async (call) => {
  await authorize(call, 'write')
  const { context, caller, request, body } = call
  const document = readXml(await readSmallBody(body, maxXmlBytes), 'VersioningConfiguration')
  if (document.textOf('MfaDelete') === 'Enabled') throw s3Error('NotImplemented', 'MFA delete is not supported.')
  const status = document.textOf('Status')
  if (status !== 'Enabled' && status !== 'Suspended') {
    throw s3Error('IllegalVersioningConfigurationException')
  }
  await setVersioning(context, caller, request.bucket, status)
  return emptyAnswer(200)
}

const granteeType = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"'

/** Only the owner has access to objects and buckets. */
export const getAcl: S3Operation = async (call) => {
  await authorize(call, 'read')
  await requireTarget(call)
  const owner = ownerXml(call.caller.address)
  const grant = { Grantee: owner, Permission: 'FULL_CONTROL' }
  const xml = writeXml('AccessControlPolicy', { Owner: owner, AccessControlList: { Grant: grant } })
  // The only attribute in the ACL document.
  return textAnswer(xml.replace('<Grantee>', `<Grantee ${granteeType}>`))
}

/** Accepts only the private ACL. */
export const putAcl: S3Operation = async (call) => {
  await authorize(call, 'write')
  const bytes = await readSmallBody(call.body, maxXmlBytes)
  await requireTarget(call)
  requirePrivateAcl(call.request)
  if (call.request.header('x-amz-acl') === undefined)
    requireOwnGrants(readXml(bytes, 'AccessControlPolicy'), call.caller.address)
  return emptyAnswer(200)
}

function requireOwnGrants(policy: ReadElement, address: string): void {
  const grants = policy.all('AccessControlList').flatMap((list) => list.all('Grant'))
  const isOwn = (grant: ReadElement) => grant.all('Grantee')[0]?.textOf('ID') === address
  if (!grants.every(isOwn)) throw publicAcl()
}

/** Requires the object of a request, unless it names a bucket. @throws CairnError as `requireObject` */
async function requireTarget({ context, request }: S3Call): Promise<void> {
  if (request.key !== '') await requireObject(context.db.read, request, readVersionId(request.query))
}

const privateAcls = ['private', 'bucket-owner-full-control', 'bucket-owner-read']
const grantHeaders = ['read', 'write', 'read-acp', 'write-acp', 'full-control'].map((right) => `x-amz-grant-${right}`)

/** @throws CairnError `AccessControlListNotSupported`, `NotImplemented` for headers that grant access to others */
export function requirePrivateAcl({ header }: Pick<S3Request, 'header'>): void {
  const grant = grantHeaders.find((name) => header(name) !== undefined)
  if (grant !== undefined) throw s3Error('NotImplemented', `The header ${grant} is not supported.`)
  const acl = header('x-amz-acl')
  if (acl !== undefined && !privateAcls.includes(acl)) throw publicAcl()
}

function publicAcl(): CairnError {
  return s3Error('AccessControlListNotSupported', 'Only the ACL private is supported. Content is public by its CID.')
}

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

/** Reads the common parameters of listings, and requires the right to the prefix. */
export async function openList(call: S3Call, limitName = 'max-keys') {
  const { query } = call.request
  const encoding = query.get('encoding-type')
  if (encoding !== undefined && encoding !== 'url')
    throw s3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  const text = query.get(limitName) ?? ''
  if (!/^\d{0,9}$/.test(text)) throw s3Error('InvalidArgument', `${limitName} must be a whole number.`)
  const prefix = query.get('prefix') ?? ''
  await authorize(call, 'read', prefix)
  return {
    prefix,
    delimiter: query.get('delimiter') ?? '',
    limit: Math.min(maxKeys, text === '' ? maxKeys : Number(text)),
    encode: (key: string) => (encoding === 'url' ? encodeUri(key).replaceAll('%2F', '/') : key),
  }
}

function listPage(
  { context, request, signal }: S3Call,
  { prefix, delimiter, after, limit }: { prefix: string; delimiter: string; after: string; limit: number },
) {
  return listObjects(context.db.read, { bucket: request.bucket, prefix, delimiter, after, maxEntries: limit, signal })
}

/**
 * Whether a listing shows CIDs. S3 names optional elements in this header. Clients of S3 skip a CID, but parse it, which takes a
 * fifth of their time.
 */
export function asksForCid({ header }: Pick<S3Request, 'header'>): boolean {
  const names = (header('x-amz-optional-object-attributes') ?? '').split(',')
  return names.some((name) => name.trim() === 'CID')
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

/** Every access key with a right in a bucket may read its settings. */
async function authorizeBucketRead(call: S3Call): Promise<BucketRow> {
  const rule = call.caller.rules.find(({ bucket }) => bucket === '*' || bucket === call.request.bucket)
  return authorize(call, 'read', rule?.prefix ?? '')
}

export function ownerXml(address: string): XmlRecord {
  return { ID: address, DisplayName: address }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

function writeToken(key: string): string {
  return Buffer.from(key).toString('base64url')
}

function readToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.toString('base64url') !== token || bytes.includes(0))
    throw s3Error('InvalidArgument', 'The continuation token provided is incorrect')
  return bytes.toString()
}
