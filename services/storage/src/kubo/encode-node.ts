import { CairnError } from '@cairn/protocol'
import { maxCidCharacters } from '@cairn/unixfs'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { cborCode, dagCborCode, dagJsonCode, jsonCode } from '../gateway/gateway.ts'
import { countCborValues, countJsonValues, countPbValues } from './count-values.ts'
import { findWholeFractionInCbor, findWholeFractionInJson } from './whole-fractions.ts'

const rawCode = 0x55
const dagPbCode = 0x70

const decoders = new Map<number, (bytes: Uint8Array) => unknown>([
  [rawCode, (bytes) => bytes],
  [dagPbCode, dagPb.decode],
  [dagCborCode, dagCbor.decode],
  [cborCode, dagCbor.decode],
  [dagJsonCode, decodeJson],
  [jsonCode, decodeJson],
])

/** A link in DAG-JSON whose text is longer than a CID. The slash may be escaped, and the text may contain escapes. */
const longLink = new RegExp(String.raw`"(?:/|\\/|\\u002[fF])"\s*:\s*"[^"]{${maxCidCharacters + 1}}`)

/** Decodes JSON. The time to decode a link grows with the square of its length, so that a long one would take hours. */
function decodeJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (longLink.test(text)) throw new RangeError('A link is longer than a CID')
  return dagJson.decode(bytes)
}

/** Maximum number of values of a node that is converted: a fraction of a second, in which nothing else runs. */
const maxValues = 100_000

const counters = new Map([
  [dagPbCode, countPbValues],
  [dagCborCode, countCborValues],
  [cborCode, countCborValues],
  [dagJsonCode, countJsonValues],
  [jsonCode, countJsonValues],
])

/**
 * Encodes a node, or the value at `segments` in it, in another codec.
 * @throws CairnError UNSUPPORTED_CODEC, PATH_NOT_FOUND, NOT_SUPPORTED (too many values)
 */
export function encodeNode(
  cid: CID,
  bytes: Uint8Array,
  segments: readonly string[],
  codec: 'dag-json' | 'dag-cbor',
): Uint8Array {
  requireFewValues(cid.code, bytes, {
    what: `${cid}`,
    hint: 'Read the block with block/get, and decode it where you need it.',
  })
  let value = decode(cid, bytes)
  for (const segment of segments) {
    const isContainer = typeof value === 'object' && value !== null && Object.hasOwn(value, segment)
    if (!isContainer) throw new CairnError('PATH_NOT_FOUND', { message: `${cid} has no field "${segment}"` })
    value = Reflect.get(Object(value), segment)
  }
  return codec === 'dag-json' ? dagJson.encode(value) : dagCbor.encode(value)
}

/** @throws CairnError NOT_SUPPORTED */
function requireFewValues(code: number, bytes: Uint8Array, { what, hint }: { what: string; hint: string }): void {
  const count = counters.get(code)?.(bytes, maxValues + 1) ?? 0
  if (count > maxValues)
    throw new CairnError('NOT_SUPPORTED', { message: `${what} has more than ${maxValues} values`, hint })
}

function decode(cid: CID, bytes: Uint8Array): unknown {
  const decoder = decoders.get(cid.code)
  if (decoder === undefined) throw new CairnError('UNSUPPORTED_CODEC', { details: { cid: `${cid}` } })
  try {
    return decoder(bytes)
  } catch (cause) {
    throw new CairnError('UNSUPPORTED_CODEC', { message: `${cid} is not valid in its codec`, cause })
  }
}

/** Codecs of blocks from clients, by Kubo's names. */
const codes = {
  raw: rawCode,
  'dag-pb': dagPbCode,
  'dag-cbor': dagCborCode,
  'dag-json': dagJsonCode,
  cbor: cborCode,
  json: jsonCode,
} as const

/** Returns Kubo's name of a codec. */
export type CodecName = keyof typeof codes

/** Returns the code of a codec. */
export const codeOf = (name: CodecName): number => codes[name]

/** Codecs with one form per value. Kubo writes plain CBOR and JSON in the order of the input, and JSON with tabs. */
const encoders = {
  raw: (value: unknown) => (value instanceof Uint8Array ? value : undefined),
  'dag-pb': (value: unknown) => (isPbNode(value) ? dagPb.encode(value) : undefined),
  'dag-cbor': dagCbor.encode,
  'dag-json': dagJson.encode,
} satisfies Partial<Record<CodecName, (value: unknown) => Uint8Array | undefined>>

/** Returns Kubo's name of a codec that nodes are encoded in. */
export type EncodedCodecName = keyof typeof encoders

/** Returns whether a value has the fields of a node. Its encoder checks their values. */
function isPbNode(value: unknown): value is dagPb.PBNode {
  if (typeof value !== 'object' || value === null || !('Links' in value) || !Array.isArray(value.Links)) return false
  return Object.keys(value).every((key) => key === 'Links' || key === 'Data')
}

/**
 * Decodes a node from one codec and encodes it in another.
 * @throws CairnError UNSUPPORTED_CODEC, also for a number that would become another one, and the CID with it; NOT_SUPPORTED (too many
 *   values)
 */
export function transcode(bytes: Uint8Array, from: CodecName, to: EncodedCodecName): Uint8Array {
  requireFewValues(codeOf(from), bytes, {
    what: 'A part',
    hint: 'Encode the block where it is made, and store it with block/put.',
  })
  const number = findChangedNumber(bytes, from)
  if (number !== undefined) {
    throw new CairnError('UNSUPPORTED_CODEC', {
      message: `The number ${number} cannot be kept as it is`,
      hint: 'Write a whole number without fraction and exponent, or send the encoded block with block/put.',
    })
  }
  try {
    const encoded = encoders[to](from === 'json' ? JSON.parse(readText(bytes)) : decoders.get(codeOf(from))?.(bytes))
    if (encoded !== undefined) return encoded
  } catch (cause) {
    throw new CairnError('UNSUPPORTED_CODEC', {
      message: `A part is not ${from}, or cannot be encoded as ${to}`,
      cause,
    })
  }
  throw new CairnError('UNSUPPORTED_CODEC', { message: `A part is not ${from}, or cannot be encoded as ${to}` })
}

function findChangedNumber(bytes: Uint8Array, codec: CodecName): string | undefined {
  if (codec === 'json' || codec === 'dag-json') return findWholeFractionInJson(bytes, codec === 'json')
  return codec === 'cbor' || codec === 'dag-cbor' ? findWholeFractionInCbor(bytes) : undefined
}

function readText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
