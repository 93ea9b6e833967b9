import { decode, encode } from 'cborg'

/** What the signature of version 2 covers: the DAG-CBOR document of a record. */
export type RecordData = {
  readonly value: Uint8Array
  /** Text of RFC 3339, as bytes. */
  readonly validity: Uint8Array
  readonly sequence: bigint
  /** Nanoseconds; zero where the record has none. */
  readonly ttlNs: bigint
}

const uint64Most = (1n << 64n) - 1n
const signaturePrefix = new TextEncoder().encode('ipns-signature:')
/** Links (tag 42) may stand in fields that others added; nothing reads them here. */
const tags = { 42: (decodeContent: () => unknown): unknown => decodeContent() }

/** Writes the document, its keys in the order that DAG-CBOR asks for. */
export function encodeRecordData({ value, validity, sequence, ttlNs }: RecordData): Uint8Array {
  return encode({ TTL: ttlNs, Value: value, Sequence: sequence, Validity: validity, ValidityType: 0 })
}

/** Reads the document; undefined where it is none. Fields that others added are left alone. */
export function decodeRecordData(bytes: Uint8Array): RecordData | undefined {
  const data = decodeMap(bytes)
  const value = data?.get('Value')
  const validity = data?.get('Validity')
  const sequence = readUint64(data?.get('Sequence'))
  const ttlNs = readUint64(data?.get('TTL') ?? 0)
  // Type 0, an end of life, is the only one that there is.
  if (readUint64(data?.get('ValidityType')) !== 0n || sequence === undefined || ttlNs === undefined) return undefined
  if (!(value instanceof Uint8Array) || !(validity instanceof Uint8Array)) return undefined
  return { value, validity, sequence, ttlNs }
}

/** The bytes that are signed. @see https://specs.ipfs.tech/ipns/ipns-record/#record-creation */
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
    // Not DAG-CBOR, or nested without end.
    return undefined
  }
}

function readUint64(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  return typeof value === 'bigint' && value >= 0n && value <= uint64Most ? value : undefined
}
