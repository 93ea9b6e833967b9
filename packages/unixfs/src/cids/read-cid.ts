import { CID } from 'multiformats/cid'
import { UnixfsError, type UnixfsErrorCode } from '../unixfs-error.ts'
import { createSha256Cid, dagPbCode, sha256Code } from './sha256-cid.ts'

/** Maximum length of a CID in bytes: fits an identity hash of 128 bytes with all its prefixes. */
export const maxCidBytes = 160

/** Maximum length of a CID as text: an identity hash of 128 bytes in base16 is shorter. */
export const maxCidCharacters = 300

/**
 * Parses a CID of a document. A longer text is not parsed, because the time that base58 and base36 take grows with the square of
 * its length: hours for one block.
 * @throws RangeError for a text that is too long; the error of the parser
 */
export function parseCidText(text: string): CID {
  if (text.length > maxCidCharacters) throw new RangeError('The text is longer than a CID')
  return CID.parse(text)
}

/**
 * Parses the CID at the start of `bytes` and returns it with its length. The CID owns a copy of its bytes, so that
 * keeping it does not keep the block.
 * @throws UnixfsError with `code` for anything that is not a CIDv0 (sha2-256) or CIDv1
 */
export function readCid(bytes: Uint8Array, code: UnixfsErrorCode): { cid: CID; length: number } {
  const common = readCommonCid(bytes)
  if (common !== undefined) return common
  try {
    const { size, version, multihashCode, digestSize } = CID.inspectBytes(bytes.subarray(0, maxCidBytes))
    if (size > maxCidBytes || size > bytes.length) throw new RangeError('it ends early or is too long')
    if (version === 0 && (multihashCode !== sha256Code || digestSize !== 32))
      throw new RangeError('version 0 is sha2-256')
    // By constructor, not by slice: a slice of a Node Buffer would be a view of the block.
    return { cid: CID.decode(new Uint8Array(bytes.subarray(0, size))), length: size }
  } catch (cause) {
    throw new UnixfsError(code, `Not a CID: ${cause instanceof Error ? cause.message : 'unreadable'}`, {}, { cause })
  }
}

/**
 * Parses a CID with a SHA2-256 digest, as nearly all have, in half of the time: a block may have 50,000. It owns a copy of its bytes.
 * @returns undefined for any other, and for what is none
 */
export function readCommonCid(bytes: Uint8Array): { cid: CID; length: number } | undefined {
  if (bytes.length >= 34 && bytes[0] === sha256Code && bytes[1] === 32) {
    return { cid: createSha256Cid(0, dagPbCode, bytes.subarray(2, 34)), length: 34 }
  }
  const codec = bytes[1] ?? 0
  const isCommon = bytes.length >= 36 && bytes[0] === 1 && codec < 0x80 && bytes[2] === sha256Code && bytes[3] === 32
  return isCommon ? { cid: createSha256Cid(1, codec, bytes.subarray(4, 36)), length: 36 } : undefined
}

/**
 * Parses a CID that fills `bytes` to the end.
 * @throws UnixfsError with `code`
 */
export function readWholeCid(bytes: Uint8Array, code: UnixfsErrorCode): CID {
  const { cid, length } = readCid(bytes, code)
  if (length !== bytes.length) throw new UnixfsError(code, 'Not a CID: bytes follow it')
  return cid
}
