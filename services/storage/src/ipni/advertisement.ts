import { hash, sign } from 'node:crypto'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import type { Publisher } from './identity.ts'

const sha2256 = 0x12
const raw = 0x55
const domain = 'indexer'
const payloadType = '/indexer/ingest/adSignature'

/** Topic of the public network of indexers, which is part of the signature of a head. */
const topic = '/indexer/ingest/mainnet'

/** `transport-ipfs-gateway-http` (0x0920) without parameters, as varints. */
export const gatewayMetadata = Uint8Array.of(0xa0, 0x12, 0x00)

/** Link of an advertisement without entries: a truncated hash of nothing. @see https://github.com/ipni/specs/blob/main/IPNI.md */
const noEntries = CID.createV1(raw, create(sha2256, sha256(new Uint8Array()).subarray(0, 16)))

/** Multihashes per chunk, the default of other publishers: about 600 KB. */
export const hashesPerChunk = 16_384

/** An encoded block of the chain. */
export type ChainBlock = { cid: CID; bytes: Uint8Array }

/** Contents of an advertisement. */
export type Advertisement = {
  previous: CID | undefined
  /** Multiaddrs of the gateway. */
  addresses: readonly string[]
  /** Identifies the content: a later advertisement with the same value replaces or removes it. At most 64 bytes. */
  contextId: Uint8Array
  /** The first chunk; undefined removes the content. */
  entries: CID | undefined
}

/** Signs and encodes an advertisement as DAG-JSON. */
export function encodeAdvertisement(publisher: Publisher, ad: Advertisement): ChainBlock {
  const isRemoval = ad.entries === undefined
  const entries = ad.entries ?? noEntries
  const metadata = isRemoval ? new Uint8Array() : gatewayMetadata
  const signed = Buffer.concat([
    ad.previous?.bytes ?? new Uint8Array(),
    entries.bytes,
    Buffer.from(publisher.peerId + ad.addresses.join('')),
    metadata,
    Uint8Array.of(isRemoval ? 1 : 0),
  ])
  const bytes = dagJson.encode({
    ...(ad.previous === undefined ? {} : { PreviousID: ad.previous }),
    Provider: publisher.peerId,
    Addresses: [...ad.addresses],
    Signature: sealEnvelope(publisher, create(sha2256, sha256(signed)).bytes),
    Entries: entries,
    ContextID: ad.contextId,
    Metadata: metadata,
    IsRm: isRemoval,
  })
  return toBlock(dagJson.code, bytes)
}

/** Encodes multihashes as linked chunks, the last first: each links to the one before it in the result. */
export function encodeChunks(multihashes: readonly Uint8Array[]): ChainBlock[] {
  const chunks: ChainBlock[] = []
  for (let end = multihashes.length; end > 0; ) {
    const start = Math.floor((end - 1) / hashesPerChunk) * hashesPerChunk
    const next = chunks.at(-1)
    const bytes = dagCbor.encode({
      Entries: multihashes.slice(start, end),
      ...(next === undefined ? {} : { Next: next.cid }),
    })
    chunks.push(toBlock(dagCbor.code, bytes))
    end = start
  }
  return chunks
}

/** Signs the head of a chain. @see https://github.com/ipni/specs/blob/main/IPNI_HTTP_PROVIDER.md */
export function encodeHead({ key, publicKey }: Publisher, head: CID): Uint8Array {
  const sig = sign(null, Buffer.concat([head.bytes, Buffer.from(topic)]), key)
  return dagJson.encode({ head, topic, pubkey: publicKey, sig: Uint8Array.from(sig) })
}

/**
 * A signed envelope of libp2p: the protobuf fields public key, payload type, payload and signature.
 * @see https://github.com/libp2p/specs/blob/master/RFC/0002-signed-envelopes.md
 */
function sealEnvelope({ key, publicKey }: Publisher, payload: Uint8Array): Uint8Array {
  const type = Buffer.from(payloadType)
  const signature = sign(null, Buffer.concat([domain, type, payload].map((part) => sized(Buffer.from(part)))), key)
  const fields: [number, Uint8Array][] = [
    [1, publicKey],
    [2, type],
    [3, payload],
    [5, signature],
  ]
  return Uint8Array.from(Buffer.concat(fields.map(([field, value]) => tagged(field, value))))
}

/** A protobuf field of bytes. */
function tagged(field: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of((field << 3) | 2), sized(value)])
}

/** Bytes after their length; all parts of an envelope are shorter than 128 bytes, so the varint has one byte. */
function sized(value: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(value.length), value])
}

function toBlock(code: number, bytes: Uint8Array): ChainBlock {
  return { cid: CID.createV1(code, create(sha2256, sha256(bytes))), bytes }
}

function sha256(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(hash('sha256', bytes, 'buffer'))
}
