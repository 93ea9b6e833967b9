import { createHash } from 'node:crypto'
import type { Feed } from '../multipart/read-multipart.ts'
import { type ChecksumAlgorithm, createChecksum } from './checksums.ts'

/** The digests to compute of a body. */
export type WantedDigests = { md5: boolean; sha256: boolean; checksum: ChecksumAlgorithm | undefined }
/** MD5 and SHA-256 in hex, the checksum in base64; undefined unless wanted. */
export type Digests = { md5: string | undefined; sha256: string | undefined; checksum: string | undefined }

/** Computes the digests of a body while it arrives. */
export type BodyDigests = {
  /** Takes the next piece, which is copied or read before the promise settles; a promise applies backpressure. */
  update(piece: Uint8Array): void | Promise<void>
  finish(): Promise<Digests>
  /** Ends a computation whose body failed. */
  drop(): void
}

/** Digests that are computed at once. */
export type ImmediateDigests = Omit<BodyDigests, 'update'> & { update(piece: Uint8Array): void }

/** Computes digests on this thread. */
export function createBodyDigests({
  md5: hasMd5,
  sha256: hasSha256,
  checksum: algorithm,
}: WantedDigests): ImmediateDigests {
  const md5 = hasMd5 ? createHash('md5') : undefined
  const sha256 = hasSha256 ? createHash('sha256') : undefined
  const checksum = algorithm === undefined ? undefined : createChecksum(algorithm)
  return {
    update(piece) {
      md5?.update(piece)
      sha256?.update(piece)
      checksum?.update(piece)
    },
    finish: async () => ({
      md5: md5?.digest('hex'),
      sha256: sha256?.digest('hex'),
      checksum: checksum?.digest(),
    }),
    drop: () => undefined,
  }
}

/**
 * Passes a body on to `take`, and returns its digests.
 * @param onPiece learns the length of each piece, and may refuse it by an error
 */
export async function digestBody(
  feed: Feed,
  digests: BodyDigests,
  take: Parameters<Feed>[0],
  onPiece: (lengthBytes: number) => void,
): Promise<Digests> {
  try {
    await feed((piece) => {
      onPiece(piece.length)
      const updating = digests.update(piece)
      return updating === undefined ? take(piece) : updating.then(() => take(piece))
    })
  } catch (error) {
    digests.drop()
    throw error
  }
  return digests.finish()
}
