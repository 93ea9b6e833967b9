import type { Feed } from '../multipart/read-multipart.ts'
import { digestBody } from './checksums/body-digests.ts'
import { type ChecksumAlgorithm, checksumHeader, readDeclaredChecksum } from './checksums/checksums.ts'
import type { DigestThread } from './checksums/digest-thread-client.ts'
import { s3Error } from './s3-error.ts'
import { readChunkedBody } from './signature/chunked-body.ts'
import type { ChunkSigning, SignedPayload } from './signature/verify-request.ts'

/** The body of a request, described by its headers and signature. */
export type IncomingBody = {
  feed: Feed
  payload: SignedPayload
  signing: ChunkSigning
  digests: Pick<DigestThread, 'begin'>
  header(name: string): string | undefined
}

/** Streams the bytes of an object. Checks every declared length, digest and signature before the feed ends. */
export type ObjectBody = {
  /** Size of the object in bytes. */
  sizeBytes: number
  /** Fails at its end if the bytes do not match the declaration; the caller must then discard them. */
  feed: Feed
  /** MD5 in hex, available after the feed has ended. */
  md5(): string
  /** Digest by the declared algorithm, or by `otherwise`, available after the feed has ended. */
  checksum(): { algorithm: ChecksumAlgorithm; value: string } | undefined
}

/**
 * Opens the body of a request, with the checks that the request declares.
 * @param maxBytes maximum size of the body, in bytes
 * @param otherwise algorithm to compute if the request declares none
 * @throws CairnError `MissingContentLength`, `EntityTooLarge`, `InvalidDigest`, `InvalidRequest`; and from the feed
 *   `BadDigest`, `XAmzContentSHA256Mismatch`, `IncompleteBody`, `SignatureDoesNotMatch`
 */
export function openBody(
  { feed, payload, signing, digests, header }: IncomingBody,
  maxBytes: number,
  otherwise?: ChecksumAlgorithm,
): ObjectBody {
  const sizeBytes = readLength(header, payload)
  if (sizeBytes > maxBytes) {
    throw s3Error('EntityTooLarge', undefined, { ProposedSize: sizeBytes, MaxSizeAllowed: maxBytes })
  }
  const contentMd5 = header('content-md5')
  if (contentMd5 !== undefined && !/^[A-Za-z0-9+/]{22}==$/.test(contentMd5)) throw s3Error('InvalidDigest')
  const declared = readDeclaredChecksum(header)
  const algorithm = declared?.algorithm ?? otherwise
  let trailer: ReadonlyMap<string, string> = new Map()
  let md5Hex = ''
  let computed: { algorithm: ChecksumAlgorithm; value: string } | undefined

  const plain =
    payload.kind === 'chunks'
      ? readChunkedBody(feed, {
          signing: payload.isSigned ? signing : undefined,
          hasTrailer: payload.hasTrailer,
          onTrailer: (headers) => {
            trailer = headers
          },
        })
      : feed

  return {
    sizeBytes,
    feed: async (take) => {
      const computing = digests.begin({ md5: true, sha256: payload.kind === 'sha256', checksum: algorithm }, sizeBytes)
      let receivedBytes = 0
      const { md5, sha256, checksum } = await digestBody(plain, computing, take, (lengthBytes) => {
        receivedBytes += lengthBytes
        if (receivedBytes > sizeBytes) throw s3Error('IncompleteBody', 'The body is longer than its declared length.')
      })
      if (receivedBytes !== sizeBytes) throw s3Error('IncompleteBody')
      md5Hex = md5 ?? ''
      if (contentMd5 !== undefined && md5 !== Buffer.from(contentMd5, 'base64').toString('hex')) {
        throw s3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.')
      }
      if (payload.kind === 'sha256' && sha256 !== payload.sha256) throw s3Error('XAmzContentSHA256Mismatch')
      if (checksum === undefined || algorithm === undefined) return
      computed = { algorithm, value: checksum }
      if (declared === undefined) return
      const value = declared.value ?? trailer.get(checksumHeader(algorithm))
      if (value !== checksum) {
        throw s3Error('BadDigest', `The ${algorithm} you specified did not match what we received.`)
      }
    },
    md5: () => md5Hex,
    checksum: () => computed,
  }
}

function readLength(header: IncomingBody['header'], payload: SignedPayload): number {
  const text = header(payload.kind === 'chunks' ? 'x-amz-decoded-content-length' : 'content-length')
  if (text === undefined) throw s3Error('MissingContentLength')
  if (!/^\d{1,15}$/.test(text)) throw s3Error('InvalidArgument', 'The length of the body must be a whole number.')
  return Number(text)
}

/** Reads a small body into memory, with the checks of {@link openBody}. */
export async function readSmallBody(incoming: IncomingBody, maxBytes: number): Promise<Buffer> {
  const isAbsent = incoming.header('content-length') === undefined && incoming.header('transfer-encoding') === undefined
  // Some clients send no length without a body. The declared digests are checked all the same.
  const header = (name: string) => (isAbsent && name === 'content-length' ? '0' : incoming.header(name))
  const { feed } = openBody({ ...incoming, header }, maxBytes)
  const pieces: Buffer[] = []
  await feed((piece) => {
    // A copy, because the chunk's memory is reused.
    pieces.push(Buffer.from(piece))
  })
  return Buffer.concat(pieces)
}
