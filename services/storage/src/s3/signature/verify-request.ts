import { s3Error } from '../s3-error.ts'
import { type RawRequest, readQuery, sha256Hex, writeCanonicalRequest } from './canonical-request.ts'
import { createSigner, isSameSignature, type Signer } from './signing-key.ts'

/** How the signature covers the body of a request. */
export type SignedPayload =
  | { kind: 'sha256'; sha256: string }
  | { kind: 'unsigned' }
  | { kind: 'chunks'; isSigned: boolean; hasTrailer: boolean }

/** State that the signatures of chunks continue from. */
export type ChunkSigning = { signer: Signer; time: string; seedSignature: string }

/** A request with a valid signature. */
export type VerifiedRequest<Credential> = { credential: Credential; payload: SignedPayload; signing: ChunkSigning }

/** Options for verifying requests. */
export type VerifyOptions<Credential> = {
  region: string
  /** Current time in ms since 1970. */
  now: number
  /** Finds the holder of an access key. @throws CairnError for an unknown, revoked or expired access key */
  find(accessKeyId: string): Promise<Credential>
}

/** Maximum clock difference between client and service in ms, as in S3. */
export const maxSkewMs = 15 * 60_000
/** Maximum lifetime of a presigned request in seconds, as in S3. */
const maxExpiresSeconds = 7 * 24 * 3600

export const algorithm = 'AWS4-HMAC-SHA256'

const chunkedPayloads: Readonly<Record<string, SignedPayload>> = {
  'UNSIGNED-PAYLOAD': { kind: 'unsigned' },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { kind: 'chunks', isSigned: true, hasTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { kind: 'chunks', isSigned: true, hasTrailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { kind: 'chunks', isSigned: false, hasTrailer: true },
}

/** The signature of a request and its parameters. */
type Claim = {
  accessKeyId: string
  date: string
  region: string
  signedHeaders: readonly string[]
  signature: string
  /** Time in the format `YYYYMMDDTHHMMSSZ`. */
  time: string
  payloadHash: string
  /** Lifetime of a presigned request in seconds; undefined for a signature in the header. */
  expiresSeconds: number | undefined
}

/**
 * Verifies Signature V4, in the header or in the query.
 * @throws CairnError `AccessDenied`, `AuthorizationHeaderMalformed`, `AuthorizationQueryParametersError`,
 *   `RequestTimeTooSkewed`, `SignatureDoesNotMatch`, and what `find` throws
 */
export async function verifyRequest<Credential extends { secretAccessKeys: readonly string[] }>(
  request: RawRequest,
  { region, now, find }: VerifyOptions<Credential>,
): Promise<VerifiedRequest<Credential>> {
  const claim = readClaim(request)
  requireFresh(claim, now)
  if (claim.region !== region) {
    const message = `The region '${claim.region}' is wrong; expecting '${region}'.`
    throw s3Error('AuthorizationHeaderMalformed', message, { Region: region })
  }
  requireSignedHeaders(request, claim.signedHeaders)
  const payload = readPayload(claim.payloadHash)
  const credential = await find(claim.accessKeyId)
  const isPresigned = claim.expiresSeconds !== undefined
  const canonical = writeCanonicalRequest(
    request,
    claim.signedHeaders,
    claim.payloadHash,
    isPresigned ? 'X-Amz-Signature' : undefined,
  )
  const hashes = hashCanonical(canonical)
  const signer = credential.secretAccessKeys
    .map((secret) => createSigner(secret, claim))
    .find((one) => hashes.some((hash) => isSameSignature(claim.signature, one.sign(algorithm, claim.time, [hash]))))
  if (signer === undefined) throw s3Error('SignatureDoesNotMatch')
  const { signature } = claim
  return { credential, payload, signing: { signer, time: claim.time, seedSignature: signature } }
}

/**
 * Returns the hashes that a client may have signed. A header that is not ASCII is read as Latin-1. Most clients sign its bytes; those
 * of Node and Python sign it as UTF-8, but send it as Latin-1.
 */
function hashCanonical(canonical: string): string[] {
  const hash = sha256Hex(Buffer.from(canonical, 'latin1'))
  return /[\x80-\xff]/.test(canonical) ? [hash, sha256Hex(canonical)] : [hash]
}

function readClaim(request: RawRequest): Claim {
  const [authorization] = request.header('authorization')
  const query = new Map(readQuery(request.query))
  if (authorization !== undefined) return readHeaderClaim(request, authorization)
  if (query.has('X-Amz-Algorithm')) return readQueryClaim(request, query)
  if (query.has('Signature') || query.has('AWSAccessKeyId')) {
    throw s3Error('InvalidRequest', 'Signature version 2 is not supported. Please use AWS4-HMAC-SHA256.')
  }
  throw s3Error('AccessDenied', 'The request is not signed. Public content is available at the gateway by its CID.')
}

function readHeaderClaim(request: RawRequest, authorization: string): Claim {
  if (!authorization.startsWith(`${algorithm} `)) {
    throw s3Error('InvalidRequest', 'The authorization mechanism is not supported. Please use AWS4-HMAC-SHA256.')
  }
  const fields = new Map<string, string>()
  for (const field of authorization.slice(algorithm.length + 1).split(',')) {
    const [name, value] = splitOnce(field.trim(), '=')
    fields.set(name, value)
  }
  const time = request.header('x-amz-date')[0] ?? readHttpDate(request.header('date')[0])
  const [payloadHash] = request.header('x-amz-content-sha256')
  if (payloadHash === undefined) {
    throw s3Error('MissingSecurityHeader', 'The header x-amz-content-sha256 is missing.')
  }
  return {
    ...readCredential(fields.get('Credential')),
    signedHeaders: readSignedHeaders(fields.get('SignedHeaders')),
    signature: fields.get('Signature') ?? '',
    time: requireTime(time),
    payloadHash,
    expiresSeconds: undefined,
  }
}

function readQueryClaim(request: RawRequest, query: ReadonlyMap<string, string>): Claim {
  if (query.get('X-Amz-Algorithm') !== algorithm) {
    throw s3Error('AuthorizationQueryParametersError', 'X-Amz-Algorithm only supports AWS4-HMAC-SHA256.')
  }
  const expires = query.get('X-Amz-Expires') ?? ''
  const expiresSeconds = /^\d{1,9}$/.test(expires) ? Number(expires) : Number.NaN
  if (!(expiresSeconds >= 1 && expiresSeconds <= maxExpiresSeconds)) {
    throw s3Error('AuthorizationQueryParametersError', `X-Amz-Expires must be from 1 to ${maxExpiresSeconds} seconds.`)
  }
  return {
    ...readCredential(query.get('X-Amz-Credential')),
    signedHeaders: readSignedHeaders(query.get('X-Amz-SignedHeaders')),
    signature: query.get('X-Amz-Signature') ?? '',
    time: requireTime(query.get('X-Amz-Date')),
    payloadHash: query.get('X-Amz-Content-Sha256') ?? request.header('x-amz-content-sha256')[0] ?? 'UNSIGNED-PAYLOAD',
    expiresSeconds,
  }
}

/** Reads the scope of a signature. @throws CairnError `AuthorizationHeaderMalformed` */
export function readCredential(text = ''): Pick<Claim, 'accessKeyId' | 'date' | 'region'> {
  // Some clients send no region or the name of the host. They get the error that names the right one.
  const [, accessKeyId, date, region] = /^(\w{1,128})\/(\d{8})\/([\w.-]{0,64})\/s3\/aws4_request$/.exec(text) ?? []
  if (accessKeyId === undefined || date === undefined || region === undefined) {
    throw s3Error(
      'AuthorizationHeaderMalformed',
      'The credential must be ACCESS_KEY_ID/YYYYMMDD/REGION/s3/aws4_request.',
    )
  }
  return { accessKeyId, date, region }
}

function readSignedHeaders(text = ''): string[] {
  // The characters of a header's name: metadata may be called `user_id` or `file.name`.
  if (text.length > 4096 || !/^[!#$%&'*+.^_`|~a-z0-9-]+(;[!#$%&'*+.^_`|~a-z0-9-]+)*$/.test(text)) {
    throw s3Error('AuthorizationHeaderMalformed', 'SignedHeaders must be header names in lower case.')
  }
  return text.split(';')
}

function readPayload(hash: string): SignedPayload {
  const payload = Object.hasOwn(chunkedPayloads, hash) ? chunkedPayloads[hash] : undefined
  if (payload !== undefined) return payload
  if (/^[0-9a-f]{64}$/.test(hash)) return { kind: 'sha256', sha256: hash }
  if (hash.startsWith('STREAMING-'))
    throw s3Error('NotImplemented', `The payload ${hash.slice(0, 64)} is not supported.`)
  throw s3Error('InvalidArgument', 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-… or a SHA-256 in hex.')
}

/** Headers that change the effect of a request must be signed. */
function requireSignedHeaders(request: RawRequest, signedHeaders: readonly string[]): void {
  const isSigned = (name: string) => signedHeaders.includes(name)
  const unsigned = request.headerNames.filter((name) => name.startsWith('x-amz-') && !isSigned(name))
  if (!isSigned('host')) unsigned.push('host')
  if (unsigned.length > 0) {
    throw s3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: unsigned.join(', '),
    })
  }
}

function requireFresh({ time, date, expiresSeconds }: Claim, now: number): void {
  const signedAt = readTime(time)
  if (signedAt === undefined || !time.startsWith(date)) {
    throw s3Error('AuthorizationHeaderMalformed', 'The date of the credential does not match the date of the request.')
  }
  if (expiresSeconds === undefined ? Math.abs(now - signedAt) > maxSkewMs : signedAt - now > maxSkewMs) {
    throw s3Error('RequestTimeTooSkewed', undefined, { RequestTime: time, ServerTime: new Date(now).toISOString() })
  }
  if (expiresSeconds !== undefined && now > signedAt + expiresSeconds * 1000) {
    throw s3Error('AccessDenied', 'Request has expired', { ServerTime: new Date(now).toISOString() })
  }
}

/** Returns the ms since 1970 of a time in the format `YYYYMMDDTHHMMSSZ`; undefined for another text. */
export function readTime(time: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second] = match
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

function requireTime(time: string | undefined): string {
  if (time === undefined) throw s3Error('AccessDenied', 'The request has no x-amz-date header.')
  if (!/^\d{8}T\d{6}Z$/.test(time)) {
    throw s3Error('AccessDenied', 'The date of the request must be YYYYMMDDTHHMMSSZ.')
  }
  return time
}

function readHttpDate(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '')
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
