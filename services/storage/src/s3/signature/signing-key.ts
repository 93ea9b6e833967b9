import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { createLruCache } from '../../lru-cache.ts'

/** Scope of a signature; `date` is `YYYYMMDD`. */
export type CredentialScope = { date: string; region: string }

/** Signs with one secret, for one day and region. */
export type Signer = {
  readonly scope: string
  /** Returns the signature in hex. @param algorithm first line of the signed text */
  sign(algorithm: string, time: string, lines: readonly string[]): string
  /** Returns the signature of a text itself in hex, as policies of forms have it. */
  signText(text: string): string
}

/** Signing keys by secret and scope: deriving one takes four times as long as a signature. */
const signingKeys = createLruCache<KeyObject>(4096)

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html */
export function createSigner(secretAccessKey: string, { date, region }: CredentialScope): Signer {
  const scope = `${date}/${region}/s3/aws4_request`
  const key = findSigningKey(secretAccessKey, scope)
  const signText = (text: string): string => createHmac('sha256', key).update(text).digest('hex')
  return { scope, sign: (algorithm, time, lines) => signText([algorithm, time, scope, ...lines].join('\n')), signText }
}

function findSigningKey(secretAccessKey: string, scope: string): KeyObject {
  const name = `${secretAccessKey}/${scope}`
  const known = signingKeys.get(name)
  if (known !== undefined) return known
  const bytes = scope
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${secretAccessKey}`),
    )
  // A key object: Node examines plain bytes again for each signature.
  const key = createSecretKey(bytes)
  signingKeys.set(name, key, 1)
  return key
}

/** Compares signatures in constant time. */
export function isSameSignature(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
