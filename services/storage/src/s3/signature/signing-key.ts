import { createHmac, timingSafeEqual } from 'node:crypto'

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

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html */
export function createSigner(secretAccessKey: string, { date, region }: CredentialScope): Signer {
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  const scope = `${date}/${region}/s3/aws4_request`
  const signText = (text: string): string => createHmac('sha256', key).update(text).digest('hex')
  return { scope, sign: (algorithm, time, lines) => signText([algorithm, time, scope, ...lines].join('\n')), signText }
}

/** Compares signatures in constant time. */
export function isSameSignature(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
