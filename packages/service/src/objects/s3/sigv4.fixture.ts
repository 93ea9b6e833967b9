import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A request as the server received it. */
export type SignedRequest = {
  method: string
  /** Path and query as sent. */
  target: string
  headers: IncomingHttpHeaders
  body: Uint8Array
}

/** The only account of a test server. */
export type S3Account = { accessKeyId: string; secretAccessKey: string; region: string }

/**
 * Verifies a request as AWS documents Signature Version 4 for S3, independently of the client's code.
 * @returns the error code of S3, or undefined when the signature is valid
 */
export function verifySignature(request: SignedRequest, account: S3Account): string | undefined {
  const { headers } = request
  const form = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, keyId = '', scope = '', names = '', signature = ''] = form.exec(headers.authorization ?? '') ?? []
  if (keyId === '') return 'AccessDenied'
  if (keyId !== account.accessKeyId) return 'InvalidAccessKeyId'
  const date = text(headers['x-amz-date'])
  const payload = text(headers['x-amz-content-sha256'])
  if (scope !== `${date.slice(0, 8)}/${account.region}/s3/aws4_request`) return 'AuthorizationHeaderMalformed'
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(request.body)) return 'XAmzContentSHA256Mismatch'
  const signed = names.split(';')
  const mustSign = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  if (mustSign.some((name) => !signed.includes(name))) return 'AccessDenied'
  const [path = '', query = ''] = request.target.split('?')
  const canonical = [
    request.method,
    path,
    query
      .split('&')
      .filter(Boolean)
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
      .toSorted()
      .join('&'),
    ...signed.map((name) => `${name}:${text(headers[name]).trim()}`),
    '',
    names,
    payload,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(Buffer.from(canonical))].join('\n')
  let key = Buffer.from(`AWS4${account.secretAccessKey}`)
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  const expected = createHmac('sha256', key).update(toSign).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch'
}

function text(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
