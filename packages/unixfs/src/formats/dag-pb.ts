import type { CID } from 'multiformats/cid'
import { readWholeCid } from '../cids/read-cid.ts'
import { createProtobufReader, type ProtobufReader } from './protobuf-reader.ts'
import { varintLength, writeVarint } from './varint.ts'

/** A link to encode: bytes only, so that large folders use little memory. `prefix` comes before the name. */
export type LinkToEncode = { cid: Uint8Array; name: Uint8Array; sizeBytes: number; prefix?: Uint8Array | undefined }

const noBytes = new Uint8Array(0)

/** A link of a decoded node. */
export type DagLink = {
  cid: CID
  /** The name, empty in files; invalid UTF-8 is decoded with replacement characters. */
  name: string
  /** Tsize: claimed size of the whole DAG below, in bytes; undefined if absent or beyond 2^53. */
  sizeBytes?: number
}

/** Length of one link with its prefix, in bytes. */
export function linkLength(cidLength: number, nameLength: number, sizeBytes: number): number {
  const body = linkBodyLength(cidLength, nameLength, sizeBytes)
  return 1 + varintLength(body) + body
}

/** Length of the Data field with its prefix, in bytes. */
export function dataFieldLength(dataLength: number): number {
  return 1 + varintLength(dataLength) + dataLength
}

function linkBodyLength(cidLength: number, nameLength: number, sizeBytes: number): number {
  return 3 + varintLength(cidLength) + cidLength + varintLength(nameLength) + nameLength + varintLength(sizeBytes)
}

/** Copies bytes and returns the offset after them: a loop is faster than a call of the engine for so few. */
function copyTo(target: Uint8Array, from: Uint8Array, offset: number): number {
  for (let at = 0; at < from.length; at++) target[offset + at] = from[at] ?? 0
  return offset + from.length
}

/**
 * Encodes a dag-pb node, links before data, in the given order: the caller sorts.
 * @see https://ipld.io/specs/codecs/dag-pb/spec/
 */
export function encodeDagPb(links: readonly LinkToEncode[], data: Uint8Array): Uint8Array {
  let length = dataFieldLength(data.length)
  for (const { cid, name, sizeBytes, prefix = noBytes } of links) {
    length += linkLength(cid.length, prefix.length + name.length, sizeBytes)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { cid, name, sizeBytes, prefix = noBytes } of links) {
    const nameLength = prefix.length + name.length
    bytes[at++] = 0x12
    at = writeVarint(bytes, at, linkBodyLength(cid.length, nameLength, sizeBytes))
    bytes[at++] = 0x0a
    at = writeVarint(bytes, at, cid.length)
    at = copyTo(bytes, cid, at)
    bytes[at++] = 0x12
    at = writeVarint(bytes, at, nameLength)
    at = copyTo(bytes, name, copyTo(bytes, prefix, at))
    bytes[at++] = 0x18
    at = writeVarint(bytes, at, sizeBytes)
  }
  bytes[at++] = 0x0a
  at = writeVarint(bytes, at, data.length)
  bytes.set(data, at)
  return bytes
}

/**
 * Decodes a dag-pb node as strictly as its specification: known fields only, each once, links not interrupted by data,
 * hash, name and size of a link in that order, a CID in every link.
 * @throws UnixfsError BAD_BLOCK
 */
export function decodeDagPb(bytes: Uint8Array): { links: DagLink[]; data?: Uint8Array } {
  const reader = createProtobufReader(bytes)
  const links: DagLink[] = []
  let data: Uint8Array | undefined
  let linksEnded = false
  while (!reader.atEnd) {
    const { field, wireType } = reader.readKey()
    if (wireType !== 2) reader.fail('a dag-pb field that is not bytes')
    if (field === 1) {
      if (data !== undefined) reader.fail('two Data fields')
      data = reader.readBytes()
      linksEnded = links.length > 0
    } else if (field === 2) {
      if (linksEnded) reader.fail('links after data after links')
      links.push(decodeLink(createProtobufReader(reader.readBytes())))
    } else reader.fail(`field ${field} in a dag-pb node`)
  }
  return data === undefined ? { links } : { links, data }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function decodeLink(reader: ProtobufReader): DagLink {
  let cid: CID | undefined
  let name: string | undefined
  let sizeBytes: number | undefined
  let last = 0
  while (!reader.atEnd) {
    const { field, wireType } = reader.readKey()
    if (field <= last) reader.fail('a field of a link twice or out of order')
    last = field
    if (field === 1 && wireType === 2) cid = readWholeCid(reader.readBytes(), 'BAD_BLOCK')
    else if (field === 2 && wireType === 2) name = utf8.decode(reader.readBytes())
    else if (field === 3 && wireType === 0) sizeBytes = reader.readVarint()
    else reader.fail(`field ${field} of wire type ${wireType} in a link`)
  }
  if (cid === undefined) return reader.fail('a link without a CID')
  if (sizeBytes === undefined || !Number.isSafeInteger(sizeBytes)) return { cid, name: name ?? '' }
  return { cid, name: name ?? '', sizeBytes }
}
