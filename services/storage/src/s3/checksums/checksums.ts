import type { CairnError } from '@cairn/protocol'
import { s3Error } from '../s3-error.ts'
import { type ChecksumAlgorithm, checksumAlgorithms, createChecksum } from './create-checksum.ts'

export { type ChecksumAlgorithm, checksumAlgorithms } from './create-checksum.ts'

/** Whether a checksum covers all bytes, or the checksums of the parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

/** A checksum of an object in base64, followed by the number of parts if it is composite. */
export type Checksum = {
  algorithm: ChecksumAlgorithm
  value: string
  type: ChecksumType
  /** Checksums of the parts, in base64. */
  parts?: readonly string[] | undefined
}

const digestBytes: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
}

/** Returns the header of a checksum; in XML, its element. */
export const checksumHeader = (algorithm: ChecksumAlgorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`
export const checksumElement = (algorithm: ChecksumAlgorithm): string => `Checksum${algorithm}`

/** Returns the elements of a checksum in a response; none without one. */
export function checksumElements(checksum: Checksum | undefined): Record<string, string> {
  return checksum === undefined
    ? {}
    : { [checksumElement(checksum.algorithm)]: checksum.value, ChecksumType: checksum.type }
}

/** Returns the composite checksum of parts: the checksum of their checksums, and their number. */
export function composeChecksum(algorithm: ChecksumAlgorithm, parts: readonly string[]): Checksum {
  const hash = createChecksum(algorithm)
  for (const part of parts) hash.update(Buffer.from(part, 'base64'))
  return { algorithm, value: `${hash.digest()}-${parts.length}`, type: 'COMPOSITE' }
}

/** Parses the name of an algorithm. @throws CairnError `InvalidRequest` */
export function readAlgorithm(text: string): ChecksumAlgorithm {
  const algorithm = checksumAlgorithms.find((one) => one === text.toUpperCase())
  if (algorithm === undefined) throw unknownAlgorithm()
  return algorithm
}

function unknownAlgorithm(): CairnError {
  return s3Error('InvalidRequest', `Checksum algorithm must be one of ${checksumAlgorithms.join(', ')}.`)
}

/** Algorithms of S3 that the service does not compute. Their headers are rejected, because an ignored one would promise a check. */
const refusedAlgorithms = ['md5', 'sha512', 'xxhash3', 'xxhash64', 'xxhash128']

/** The declared checksum of a body. `value` is undefined if the trailer contains it. */
export type DeclaredChecksum = { algorithm: ChecksumAlgorithm; value: string | undefined }

/**
 * Reads the checksum that a request declares, in a header or for the trailer.
 * @throws CairnError `InvalidRequest` for more than one checksum, or an invalid one
 */
export function readDeclaredChecksum(header: (name: string) => string | undefined): DeclaredChecksum | undefined {
  const found = checksumAlgorithms.flatMap((algorithm) => {
    const value = header(checksumHeader(algorithm))
    return value === undefined ? [] : [{ algorithm, value }]
  })
  const trailer = header('x-amz-trailer')?.trim().toLowerCase()
  const announced = checksumAlgorithms.find((algorithm) => checksumHeader(algorithm) === trailer)
  const isUnknown = trailer?.startsWith('x-amz-checksum-') === true && announced === undefined
  if (isUnknown || refusedAlgorithms.some((name) => header(`x-amz-checksum-${name}`) !== undefined))
    throw unknownAlgorithm()
  if (found.length > 1 || (found.length > 0 && announced !== undefined)) {
    throw s3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  }
  const [one] = found
  if (one !== undefined) {
    requireDigest(one.algorithm, one.value)
    return one
  }
  return announced === undefined ? undefined : { algorithm: announced, value: undefined }
}

/** @throws CairnError `InvalidRequest` for a text that is not a digest of the algorithm */
function requireDigest(algorithm: ChecksumAlgorithm, value: string): void {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length === digestBytes[algorithm] && bytes.toString('base64') === value) return
  throw s3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`)
}
