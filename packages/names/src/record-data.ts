import { decode, encode } from 'cborg'

/** Content of the signature of version 2: the DAG-CBOR document of a record. */
export type RecordData = {
  readonly value: Uint8Array
  /** RFC 3339 text, as bytes. */
  readonly validity: Uint8Array
  readonly sequence: bigint
  /** Nanoseconds; zero if the record has none. */
  readonly ttlNs: bigint
}

const maxUint64 = (1n << 64n) - 1n
const signaturePrefix = new TextEncoder().encode('ipns-signature:')
/** Links (tag 42) may occur in fields that others added; they are ignored here. */
const tags = { 42: (decodeContent: () => unknown): unknown => decodeContent() }

/** Encodes the document, with its keys in the order that DAG-CBOR requires. */
export function encodeRecordData({ value, validity, sequence, ttlNs }: RecordData): Uint8Array {
  return encode({ TTL: ttlNs, Value: value, Sequence: sequence, Validity: validity, ValidityType: 0 })
}

/** Parses the document; undefined if it is invalid. Ignores additional fields. */
export function decodeRecordData(bytes: Uint8Array): RecordData | undefined {
  const data = decodeMap(bytes)
  const value = data?.get('Value')
  const validity = data?.get('Validity')
  const sequence = readUint64(data?.get('Sequence'))
  const ttlNs = readUint64(data?.get('TTL') ?? 0)
  // Type 0, an expiry, is the only one that exists.
  if (readUint64(data?.get('ValidityType')) !== 0n || sequence === undefined || ttlNs === undefined) return undefined
  if (!(value instanceof Uint8Array) || !(validity instanceof Uint8Array)) return undefined
  return { value, validity, sequence, ttlNs }
}

/** Returns the signed bytes. @see https://specs.ipfs.tech/ipns/ipns-record/#record-creation */
export function signedBytes(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(...signaturePrefix, ...data)
}

function decodeMap(bytes: Uint8Array): Map<unknown, unknown> | undefined {
  try {
    const data: unknown = decode(bytes, {
      strict: true,
      useMaps: true,
      rejectDuplicateMapKeys: true,
      allowIndefinite: false,
      allowUndefined: false,
      tags,
    })
    return data instanceof Map ? data : undefined
  } catch {
    // Not DAG-CBOR, or nested without limit.
    return undefined
  }
}

function readUint64(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  return typeof value === 'bigint' && value >= 0n && value <= maxUint64 ? value : undefined
}
