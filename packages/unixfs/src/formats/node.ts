import type { CID } from 'multiformats/cid'
import { cborCode, dagCborCode, dagJsonCode, dagPbCode, jsonCode, rawCode } from '../cids/sha256-cid.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type DagLink, decodeDagPb } from './dag-pb.ts'
import { findCborLinks, findJsonLinks } from './linked-codecs.ts'
import { decodeUnixfsData, type ModificationTime, murmur3Code, type UnixfsData, unixfsTypes } from './unixfs-data.ts'

/** Optional mode and time of a UnixFS node. */
export type NodeMetadata = { mode?: number; mtime?: ModificationTime }

/** A decoded block. */
export type DagNode =
  | { kind: 'raw'; links: DagLink[]; data: Uint8Array; fileSizeBytes: number }
  | ({
      kind: 'file'
      links: DagLink[]
      /** Bytes of the file in this node, before those of the children. */
      data: Uint8Array
      /** Bytes of the file in each child; one per link. */
      blockSizes: number[]
      fileSizeBytes: number
    } & NodeMetadata)
  | ({ kind: 'directory'; links: DagLink[] } & NodeMetadata)
  | ({ kind: 'hamt'; links: DagLink[]; fanout: number } & NodeMetadata)
  | ({ kind: 'symlink'; links: DagLink[]; target: string } & NodeMetadata)
  /** Linked data that is not UnixFS: DAG-CBOR, DAG-JSON, other dag-pb, and plain CBOR or JSON, which have no links. */
  | { kind: 'other'; links: DagLink[] }

/** Kinds of a node. */
export type NodeKind = DagNode['kind']

/** Codecs whose links are known. */
const knownCodecs: readonly number[] = [rawCode, dagPbCode, dagCborCode, dagJsonCode, cborCode, jsonCode]

const noBytes = new Uint8Array(0)
const maxFanout = 1024

/**
 * Decodes a block by the codec of its CID. Verify the bytes first.
 * @throws UnixfsError BAD_BLOCK: malformed, or sizes, links and bit fields that contradict each other; UNSUPPORTED: an
 *   unknown codec
 */
export function decodeNode(cid: CID, bytes: Uint8Array): DagNode {
  switch (cid.code) {
    case rawCode:
      return { kind: 'raw', links: [], data: bytes, fileSizeBytes: bytes.length }
    case dagPbCode:
      return decodeDagPbNode(cid, bytes)
    case dagCborCode:
      return { kind: 'other', links: findCborLinks(bytes) }
    case dagJsonCode:
      return { kind: 'other', links: findJsonLinks(bytes) }
    case cborCode:
    case jsonCode:
      return { kind: 'other', links: [] }
    default:
      throw unknownCodec(cid)
  }
}

/**
 * Checks that `decodeNode` knows the codec of a CID.
 * @throws UnixfsError UNSUPPORTED
 */
export function requireCodec(cid: CID): void {
  if (!knownCodecs.includes(cid.code)) throw unknownCodec(cid)
}

function unknownCodec(cid: CID): UnixfsError {
  return new UnixfsError('UNSUPPORTED', `Codec 0x${cid.code.toString(16)} is not supported`, { cid: `${cid}` })
}

function decodeDagPbNode(cid: CID, bytes: Uint8Array): DagNode {
  const { links, data } = decodeDagPb(bytes)
  const unixfs = data === undefined ? undefined : tryDecodeUnixfs(data)
  if (unixfs === undefined) return { kind: 'other', links }
  const fail = (what: string): never => {
    throw new UnixfsError('BAD_BLOCK', `A UnixFS node with ${what}`, { cid: `${cid}` })
  }
  switch (unixfs.type) {
    case unixfsTypes.raw:
    case unixfsTypes.file:
      return decodeFile(unixfs, links, fail)
    case unixfsTypes.directory:
      return { kind: 'directory', links, ...metadataOf(unixfs) }
    case unixfsTypes.hamt:
      return decodeHamt(unixfs, links, fail)
    case unixfsTypes.symlink:
      return {
        kind: 'symlink',
        links,
        target: new TextDecoder().decode(unixfs.data ?? noBytes),
        ...metadataOf(unixfs),
      }
    default:
      return { kind: 'other', links }
  }
}

/** The data of a dag-pb node may not be UnixFS; then the node consists of its links only. */
function tryDecodeUnixfs(data: Uint8Array): UnixfsData | undefined {
  try {
    return decodeUnixfsData(data)
  } catch (error) {
    if (UnixfsError.is(error, 'BAD_BLOCK')) return undefined
    throw error
  }
}

function metadataOf({ mode, mtime }: UnixfsData): NodeMetadata {
  return { ...(mode === undefined ? {} : { mode }), ...(mtime === undefined ? {} : { mtime }) }
}

function decodeFile(unixfs: UnixfsData, links: DagLink[], fail: (what: string) => never): DagNode {
  const { blockSizes, data = noBytes } = unixfs
  if (blockSizes.length !== links.length) fail(`${links.length} links but ${blockSizes.length} sizes`)
  let total = data.length
  for (const size of blockSizes) total += size
  if (!Number.isSafeInteger(total)) fail('sizes beyond 2^53')
  const { fileSizeBytes = total } = unixfs
  if (fileSizeBytes !== total) fail(`a size of ${fileSizeBytes} but parts of ${total} bytes`)
  return { kind: 'file', links, data, blockSizes, fileSizeBytes, ...metadataOf(unixfs) }
}

function decodeHamt(unixfs: UnixfsData, links: DagLink[], fail: (what: string) => never): DagNode {
  const { fanout = 0, hashType, data: bitfield = noBytes } = unixfs
  if (hashType !== murmur3Code) fail('a hash function other than murmur3')
  if (fanout < 8 || fanout > maxFanout || !Number.isInteger(Math.log2(fanout))) fail(`a fan-out of ${fanout}`)
  if (bitfield.length * 8 > fanout) fail('a bit field larger than its fan-out')
  const digits = slotDigits(fanout)
  let last = -1
  for (const { name } of links) {
    const slot = slotOf(name, digits)
    if (slot <= last || slot >= fanout) fail('a shard entry out of place')
    const byte = bitfield[bitfield.length - 1 - (slot >> 3)] ?? 0
    if ((byte & (1 << (slot & 7))) === 0) fail('a shard entry without its bit')
    last = slot
  }
  let bits = 0
  for (const byte of bitfield) for (let rest = byte; rest > 0; rest &= rest - 1) bits++
  if (bits !== links.length) fail(`${links.length} shard entries but ${bits} bits`)
  return { kind: 'hamt', links, fanout, ...metadataOf(unixfs) }
}

/** Returns the number of hexadecimal digits before each name in a shard. */
export function slotDigits(fanout: number): number {
  return (fanout - 1).toString(16).length
}

/** Returns the slot in the first `digits` characters of the name of a shard entry, or -1. */
export function slotOf(name: string, digits: number): number {
  const prefix = name.slice(0, digits)
  return prefix.length === digits && /^[0-9A-F]+$/.test(prefix) ? Number.parseInt(prefix, 16) : -1
}
