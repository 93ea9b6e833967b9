import { CairnError } from '@cairn/protocol'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { cborCode, dagCborCode, dagJsonCode, jsonCode } from '../gateway/linked-value.ts'

const rawCode = 0x55
const dagPbCode = 0x70

const decoders = new Map<number, (bytes: Uint8Array) => unknown>([
  [rawCode, (bytes) => bytes],
  [dagPbCode, dagPb.decode],
  [dagCborCode, dagCbor.decode],
  [cborCode, dagCbor.decode],
  [dagJsonCode, dagJson.decode],
  [jsonCode, dagJson.decode],
])

/**
 * Encodes a node, or the value in it that `segments` lead to, in another codec.
 * @throws CairnError UNSUPPORTED_CODEC, PATH_NOT_FOUND
 */
export function encodeNode(
  cid: CID,
  bytes: Uint8Array,
  segments: readonly string[],
  codec: 'dag-json' | 'dag-cbor',
): Uint8Array {
  let value = decode(cid, bytes)
  for (const segment of segments) {
    const isContainer = typeof value === 'object' && value !== null && Object.hasOwn(value, segment)
    if (!isContainer) throw new CairnError('PATH_NOT_FOUND', { message: `There is no "${segment}" in ${cid}` })
    value = Reflect.get(Object(value), segment)
  }
  return codec === 'dag-json' ? dagJson.encode(value) : dagCbor.encode(value)
}

function decode(cid: CID, bytes: Uint8Array): unknown {
  const decoder = decoders.get(cid.code)
  if (decoder === undefined) throw new CairnError('UNSUPPORTED_CODEC', { details: { cid: `${cid}` } })
  try {
    return decoder(bytes)
  } catch (cause) {
    throw new CairnError('UNSUPPORTED_CODEC', { message: `${cid} is not what its codec allows`, cause })
  }
}
