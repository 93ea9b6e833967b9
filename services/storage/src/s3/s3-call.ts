import type { Context } from '../context.ts'
import type { Answer } from '../http/send-answer.ts'
import { requireRight } from './access/access-rules.ts'
import type { S3Credential } from './access/credentials.ts'
import { requireBucket } from './access/require-bucket.ts'
import type { IncomingBody } from './read-body.ts'
import { s3Error } from './s3-error.ts'
import type { S3Request } from './s3-request.ts'
import type { BucketRow } from './store.ts'
import { writeXml, type XmlRecord } from './xml/write-xml.ts'

/** An authenticated request. */
export type S3Call = {
  context: Context
  request: S3Request
  caller: S3Credential
  body: IncomingBody
  region: string
  signal: AbortSignal
  /** Id of the request in logs and responses. */
  id: string
  /** Logs a failure of the service that the response reports in its body. Those that are thrown are logged already. */
  logFailure(error: unknown): void
}

/** Handler of one operation. */
export type S3Operation = (call: S3Call) => Promise<Answer>

/** Maximum XML body in bytes: large enough for a thousand escaped keys of the maximum length. */
export const maxXmlBytes = 2 * 1024 * 1024

/** Returns a response in XML. */
export function xmlAnswer(root: string, content: XmlRecord | string, headers: Record<string, string> = {}): Answer {
  return textAnswer(writeXml(root, content), headers)
}

export function textAnswer(body: string, headers: Record<string, string> = {}): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', 'content-length': String(Buffer.byteLength(body)), ...headers },
    body,
  }
}

/** Returns a response without a body. */
export function emptyAnswer(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers: status === 204 ? headers : { 'content-length': '0', ...headers } }
}

/**
 * Requires that the caller owns the bucket of a request, as the client expects, and may read or write its key, or the whole bucket
 * without a key.
 * @throws CairnError `NoSuchBucket`, `AccessDenied`
 */
export async function authorize(
  { context, request, caller }: Pick<S3Call, 'context' | 'request' | 'caller'>,
  access: 'read' | 'write',
  prefix = request.key,
): Promise<BucketRow> {
  requireRight(caller, access, request.bucket, prefix)
  const bucket = await requireBucket(context, caller, request.bucket)
  requireExpectedOwner(request, 'x-amz-expected-bucket-owner', bucket)
  return bucket
}

/** As {@link authorize}, for settings of a bucket: every access key with a right in it may read them. */
export async function authorizeBucketRead(call: S3Call): Promise<BucketRow> {
  const rule = call.caller.rules.find(({ bucket }) => bucket === '*' || bucket === call.request.bucket)
  return authorize(call, 'read', rule?.prefix ?? '')
}

/** Requires the owner that a header names, if it names one. @throws CairnError `AccessDenied` */
export function requireExpectedOwner({ header }: S3Call['request'], name: string, { address }: BucketRow): void {
  const expected = header(name)
  if (expected !== undefined && expected !== address) throw s3Error('AccessDenied')
}
