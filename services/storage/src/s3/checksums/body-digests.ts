import { createHash, hash } from 'node:crypto'
import type { Feed } from '../../multipart/read-multipart.ts'
import { type ChecksumAlgorithm, createChecksum } from './create-checksum.ts'

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

/**
 * Computes digests on this thread.
 * @param sizeBytes length of the body, if known: one that arrives in one piece is digested at once
 */
export function createBodyDigests(wanted: WantedDigests, sizeBytes?: number): ImmediateDigests {
  let whole: Digests | undefined
  let begun: ReturnType<typeof beginDigests> | undefined
  return {
    update(piece) {
      if (begun === undefined && piece.length === sizeBytes) whole = digestWhole(wanted, piece)
      else {
        begun ??= beginDigests(wanted)
        begun.update(piece)
      }
    },
    finish: async () => whole ?? (begun ?? beginDigests(wanted)).finish(),
    drop: () => undefined,
  }
}

function digestWhole({ md5, sha256, checksum: algorithm }: WantedDigests, bytes: Uint8Array): Digests {
  const checksum = algorithm === undefined ? undefined : createChecksum(algorithm)
  checksum?.update(bytes)
  return {
    md5: md5 ? hash('md5', bytes) : undefined,
    sha256: sha256 ? hash('sha256', bytes) : undefined,
    checksum: checksum?.digest(),
  }
}

function beginDigests({ md5: hasMd5, sha256: hasSha256, checksum: algorithm }: WantedDigests) {
  const md5 = hasMd5 ? createHash('md5') : undefined
  const sha256 = hasSha256 ? createHash('sha256') : undefined
  const checksum = algorithm === undefined ? undefined : createChecksum(algorithm)
  return {
    update(piece: Uint8Array): void {
      md5?.update(piece)
      sha256?.update(piece)
      checksum?.update(piece)
    },
    finish: (): Digests => ({
      md5: md5?.digest('hex'),
      sha256: sha256?.digest('hex'),
      checksum: checksum?.digest(),
    }),
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
