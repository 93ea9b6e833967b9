import { maxBlockBytes } from '@cairn/protocol'
import { decodeNode, encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { decode as decodeDagCbor } from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { hashSha256 } from './hash-sha256.ts'

const dagCbor = 0x71
const sha256Code = 0x12
const digestBytes = 32
/**
 * Maximum bytes of all roots. Roots that do not fit into one block are omitted: the manifest only helps to find an upload
 * again.
 */
const maxRootsBytes = maxBlockBytes - 1024
const firstBufferBytes = 64
const cborTrue = 0xf5

const rootsField = cborText('roots')
const lastFields = [...cborText('version'), 1, ...cborText('createdAt')]
/** What is before the list of roots, and between it and the time. */
const publicFields = { start: Uint8Array.of(0xa3, ...rootsField), end: Uint8Array.from(lastFields) }
const privateFields = {
  start: Uint8Array.of(0xa4, ...rootsField),
  end: Uint8Array.of(...cborText('private'), cborTrue, ...lastFields),
}

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
  const { start, end } = isPrivate ? privateFields : publicFields
  const listHead = Uint8Array.from(cborHead(4, count))
  const time = Uint8Array.from(cborHead(0, createdAt))
  const bytes = Buffer.concat([start, listHead, named.subarray(0, namedBytes), end, time])
  return { cid: manifestCid(hashSha256(bytes)), bytes }
}

/** Reads what a manifest says of its pack. */
export function readManifestBlock({ cid, bytes }: Manifest): { roots: CID[]; isPrivate: boolean } {
  const roots = decodeNode(cid, bytes).links.map((link) => link.cid)
  const fields: unknown = decodeDagCbor(bytes)
  return { roots, isPrivate: typeof fields === 'object' && fields !== null && Reflect.get(fields, 'private') === true }
}

/** A header whose manifest has a digest of zeros. */
const emptyHeader = encodeCarHeader([manifestCid(new Uint8Array(digestBytes))])
const digestOffset = Buffer.from(emptyHeader).indexOf(Uint8Array.of(sha256Code, digestBytes)) + 2

/** Length of the header of any pack. Until a pack is sealed, zeros take its place, which no reader parses as a CAR. */
export const packHeaderBytes = emptyHeader.length

/** Encodes the header of a pack. */
export function encodePackHeader({ multihash: { digest } }: CID): Uint8Array {
  const header = emptyHeader.slice()
  header.set(digest, digestOffset)
  return header
}

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
  if (value < 2 ** 32) return [first | 26, ...fourBytes(value)]
  return [first | 27, ...fourBytes(Math.floor(value / 2 ** 32)), ...fourBytes(value % 2 ** 32)]
}

function fourBytes(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff]
}
