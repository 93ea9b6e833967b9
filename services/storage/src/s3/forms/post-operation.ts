import type { Context } from '../../context.ts'
import type { Answer } from '../../http/send-answer.ts'
import { readBoundary } from '../../multipart/boundary.ts'
import type { Feed } from '../../multipart/read-multipart.ts'
import { requireRight } from '../access/access-rules.ts'
import type { S3Credential } from '../access/credentials.ts'
import { requireBucket } from '../access/require-bucket.ts'
import { digestBody } from '../checksums/body-digests.ts'
import { checksumAlgorithms, checksumHeader } from '../checksums/checksums.ts'
import type { DigestThread } from '../checksums/digest-thread-client.ts'
import { unconditional } from '../objects/conditions.ts'
import { objectLocation } from '../objects/object-location.ts'
import { bucketHeaders, maxPutBytes, readNewObject, writtenHeaders } from '../objects/object-operations.ts'
import { putObject } from '../objects/objects.ts'
import { readTagSet } from '../objects/tagging-operations.ts'
import type { ObjectBody } from '../read-body.ts'
import { emptyAnswer, textAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { requireKey, type S3Request } from '../s3-request.ts'
import { verifyPolicy } from '../signature/verify-policy.ts'
import { readXml } from '../xml/read-xml.ts'
import { writeXml } from '../xml/write-xml.ts'
import { type AllowedBytes, checkPolicy } from './post-policy.ts'
import { type IncomingForm, readForm } from './read-form.ts'

/** Returns whether a request is a form of a browser, whose signature is one of its fields. */
export function isForm({ method, bucket, key, query, header }: S3Request): boolean {
  if (method !== 'POST' || bucket === '' || key !== '' || query.size > 0) return false
  return header('authorization') === undefined && /^multipart\/form-data\b/i.test(header('content-type') ?? '')
}

/** What a form is handled with. */
export type FormParts = {
  context: Context
  digests: Pick<DigestThread, 'begin'>
  request: S3Request
  region: string
  feed: Feed
  /** Finds the holder of an access key, and counts the request. */
  find(accessKeyId: string): Promise<S3Credential>
}

/**
 * Stores the file of a form (`POST /{bucket}`). Its signed policy states which fields and sizes are allowed.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
 */
export async function postObject({ context, digests, request, region, feed, find }: FormParts): Promise<Answer> {
  const length = request.header('content-length')
  if (length === undefined || !/^\d{1,15}$/.test(length)) throw s3Error('MissingContentLength')
  const form = await readForm(feed, readBoundary(request.header('content-type')), Number(length))
  try {
    const { bucket } = request
    const fields = withTarget(form, bucket)
    const caller = await verifyPolicy(fields, { region, now: context.clock.now(), find })
    const allowed = checkPolicy(fields.get('policy') ?? '', fields, context.clock.now())
    const key = fields.get('key') ?? ''
    requireKey(key)
    if (key === '') throw s3Error('InvalidArgument', 'User key must have a length greater than 0.')
    requireRight(caller, 'write', bucket, key)
    const row = await requireBucket(context, caller, bucket)
    const info = { ...readNewObject(toHeaders(fields)), ...readTags(fields) }
    const body = openFile(form, fields, allowed, digests)
    const written = await putObject(context, caller, { bucket, key }, body, { info, conditions: unconditional })
    const headers = { ...writtenHeaders(written), ...bucketHeaders(row, written) }
    const object = { bucket, key, etag: `"${written.etag}"`, location: objectLocation(context, request, key) }
    return toAnswer(fields, object, headers)
  } catch (error) {
    form.cancel()
    throw error
  }
}

/** Adds the bucket, which is part of the address, and inserts the name of the file into the key. */
function withTarget({ fields, file }: IncomingForm, bucket: string): Map<string, string> {
  const all = new Map(fields)
  const named = all.get('bucket')
  if (named !== undefined && named !== bucket) throw s3Error('AccessDenied', 'The field bucket has another bucket.')
  all.set('bucket', bucket)
  const key = all.get('key')
  if (key === undefined) throw s3Error('InvalidArgument', "Bucket POST must contain a field named 'key'.")
  // Some browsers send the whole path of the file.
  const fileName = file.name.slice(Math.max(file.name.lastIndexOf('/'), file.name.lastIndexOf('\\')) + 1)
  all.set(
    'key',
    key.replaceAll('$' + '{filename}', () => fileName),
  )
  return all
}

/** The fields as headers of a PUT, which contain UTF-8 as bytes. */
function toHeaders(fields: ReadonlyMap<string, string>) {
  const acl = fields.get('acl')
  const headers = new Map([...fields, ...(acl === undefined ? [] : [['x-amz-acl', acl] as const])])
  const header = (name: string) => {
    const value = headers.get(name)
    return value === undefined ? undefined : Buffer.from(value).toString('latin1')
  }
  return { header, headerNames: [...headers.keys()] }
}

function readTags(fields: ReadonlyMap<string, string>) {
  const tagging = fields.get('tagging')
  return tagging === undefined ? {} : { tags: readTagSet(readXml(Buffer.from(tagging), 'Tagging')) }
}

/** Checks the file while it is stored: its size, and the digest of a field. */
function openFile(
  { file }: IncomingForm,
  fields: ReadonlyMap<string, string>,
  allowed: AllowedBytes,
  digests: FormParts['digests'],
): ObjectBody {
  const algorithm = checksumAlgorithms.find((name) => fields.has(checksumHeader(name)))
  let md5Hex = ''
  let computed: { algorithm: (typeof checksumAlgorithms)[number]; value: string } | undefined
  return {
    sizeBytes: file.maxBytes,
    feed: async (take) => {
      const maxBytes = Math.min(allowed.max, maxPutBytes)
      const computing = digests.begin({ md5: true, sha256: false, checksum: algorithm }, file.maxBytes)
      let receivedBytes = 0
      const { md5, checksum } = await digestBody(file.feed, computing, take, (lengthBytes) => {
        receivedBytes += lengthBytes
        if (receivedBytes <= maxBytes) return
        throw s3Error('EntityTooLarge', undefined, { ProposedSize: receivedBytes, MaxSizeAllowed: maxBytes })
      })
      if (receivedBytes < allowed.min) {
        throw s3Error('EntityTooSmall', undefined, { ProposedSize: receivedBytes, MinSizeAllowed: allowed.min })
      }
      md5Hex = md5 ?? ''
      if (algorithm === undefined || checksum === undefined) return
      computed = { algorithm, value: checksum }
      if (fields.get(checksumHeader(algorithm)) !== checksum) throw s3Error('BadDigest')
    },
    md5: () => md5Hex,
    checksum: () => computed,
  }
}

function toAnswer(
  fields: ReadonlyMap<string, string>,
  { bucket, key, etag, location }: { bucket: string; key: string; etag: string; location: string },
  headers: Record<string, string>,
): Answer {
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect') ?? ''
  if (/^https?:/i.test(redirect) && URL.canParse(redirect)) {
    const target = new URL(redirect)
    for (const [name, value] of Object.entries({ bucket, key, etag })) target.searchParams.set(name, value)
    return emptyAnswer(303, { ...headers, location: target.href })
  }
  switch (fields.get('success_action_status')) {
    case '200':
      return emptyAnswer(200, { ...headers, location })
    case '201': {
      const xml = writeXml('PostResponse', { Location: location, Bucket: bucket, Key: key, ETag: etag })
      return { ...textAnswer(xml, { ...headers, location }), status: 201 }
    }
    default:
      return emptyAnswer(204, { ...headers, location })
  }
}
