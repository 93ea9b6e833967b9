import { maxBlockBytes } from '@cairn/protocol'
import { decodeNode, encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { decode as decodeDagCbor } from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { hashSha256 } from './hash-sha256.ts'

const dagCbor = 0x71
const sha256Code = 0x12
/**
 * Maximum bytes of all roots. Roots that do not fit into one block are omitted: the manifest only helps to find an upload
 * again.
 */
const maxRootsBytes = maxBlockBytes - 1024
const firstBufferBytes = 64
const cborTrue = 0xf5

const rootsText = cborText('roots')
const privateFields = [...cborText('private'), cborTrue]
const versionFields = [...cborText('version'), 1, ...cborText('createdAt')]

/** The last block of a pack, and the CID that the CAR's header names as its one root. */
export type Manifest = { cid: CID; bytes: Uint8Array }

/**
 * Encodes `{roots, version, createdAt}` as dag-cbor, with `private: true` for a private pack, so that it remains one when
 * the database is lost. It names no owner and no file.
 */
export function encodeManifest(roots: Iterable<CID>, createdAt: number, isPrivate: boolean): Manifest {
  let named = Buffer.alloc(firstBufferBytes)
  let namedBytes = 0
  let count = 0
  for (const { bytes } of roots) {
    const head = [0xd8, 42, ...cborHead(2, bytes.length + 1), 0]
    const needed = namedBytes + head.length + bytes.length
    if (needed > maxRootsBytes) break
    count++
    while (needed > named.length) named = Buffer.concat([named], 2 * named.length)
    named.set(head, namedBytes)
    named.set(bytes, namedBytes + head.length)
    namedBytes += head.length + bytes.length
  }
  const bytes = Buffer.concat([
    Uint8Array.of(isPrivate ? 0xa4 : 0xa3, ...rootsText, ...cborHead(4, count)),
    named.subarray(0, namedBytes),
    Uint8Array.of(...(isPrivate ? privateFields : []), ...versionFields, ...cborHead(0, createdAt)),
  ])
  return { cid: manifestCid(hashSha256(bytes)), bytes }
}

/** Reads what a manifest says of its pack. */
export function readManifestBlock({ cid, bytes }: Manifest): { roots: CID[]; isPrivate: boolean } {
  const roots = decodeNode(cid, bytes).links.map((link) => link.cid)
  const fields: unknown = decodeDagCbor(bytes)
  return { roots, isPrivate: typeof fields === 'object' && fields !== null && Reflect.get(fields, 'private') === true }
}

/** Encodes the header of a pack. Its length does not depend on the manifest, so that space for it can be reserved. */
export function encodePackHeader(manifest: CID): Uint8Array {
  return encodeCarHeader([manifest])
}

/** Placeholder for the header until the pack is sealed: zeros, which no reader parses as a CAR. */
export const packHeaderBytes = encodePackHeader(manifestCid(new Uint8Array(32))).length

/** Reads the frame of a manifest, when it is all there is in these bytes. */
export function findManifest(frame: Uint8Array): Manifest | undefined {
  // A length of one to four bytes and the CID.
  for (let prefix = 37; prefix <= 40; prefix++) {
    const bytes = frame.subarray(prefix)
    const cid = manifestCid(hashSha256(bytes))
    if (Buffer.compare(encodeCarFrame(cid, bytes.length), frame.subarray(0, prefix)) === 0) return { cid, bytes }
  }
  return undefined
}

function manifestCid(digest: Uint8Array): CID {
  return CID.createV1(dagCbor, createDigest(sha256Code, digest))
}

function cborText(text: string): number[] {
  const bytes = Buffer.from(text)
  return [...cborHead(3, bytes.length), ...bytes]
}

function cborHead(major: number, value: number): number[] {
  const first = major << 5
  if (value < 24) return [first | value]
  if (value < 0x100) return [first | 24, value]
  if (value < 0x10000) return [first | 25, value >> 8, value & 0xff]
  if (value < 0x100000000) return [first | 26, ...bigEndian(BigInt(value), 4)]
  return [first | 27, ...bigEndian(BigInt(value), 8)]
}

function bigEndian(value: bigint, length: number): number[] {
  return Array.from({ length }, (_, at) => Number((value >> BigInt(8 * (length - 1 - at))) & 0xffn))
}
