import { CairnError, maxNameRecordBytes } from '@cairn/protocol'
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { type Fields, readFields } from './fields.ts'
import { nameOfHash, parseNameHash } from './parse-name.ts'
import { hashPublicKey, inlineKey, type PublicKey, readPublicKey, verifySignature } from './public-key.ts'
import { decodeRecordData, type RecordData, signedBytes } from './record-data.ts'
import { recordFields } from './record-fields.ts'

/** A record with a verified signature. */
export type NameRecord = {
  /** In canonical form (k51…). */
  readonly name: string
  /** Target of the name: `/ipfs/{cid}` or `/ipns/{name}`, with or without a path. */
  readonly value: string
  readonly sequence: bigint
  /** Expiry in ms since 1970. */
  readonly validUntil: number
  /** Time in ms that it may be cached; 0 if the record states none. */
  readonly ttlMs: number
  /** The signed record. */
  readonly bytes: Uint8Array
}

const nanosecondsPerMs = 1_000_000n
/** Maximum length of a bare CID: the time that base58 and base36 take grows with the square of it. */
const maxBareCidBytes = 300
const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/**
 * Parses a record and verifies it: size, signature of version 2 by the key of this name, fields of version 1 equal to
 * the signed ones, and expiry. The source of the record is not trusted.
 * @param now ms since 1970. Defaults to the clock
 * @throws CairnError INVALID_NAME, INVALID_IPNS_RECORD (details: reason), IPNS_RECORD_EXPIRED (details: validUntil)
 * @see https://specs.ipfs.tech/ipns/ipns-record/#record-verification
 */
export async function readRecord(name: string, bytes: Uint8Array, now: number = Date.now()): Promise<NameRecord> {
  const hash = parseNameHash(name)
  if (bytes.length > maxNameRecordBytes) throw invalid('larger than 10 KiB')
  const fields = readFields(bytes)
  if (fields === undefined) throw invalid('malformed')
  const signature = fields.get(recordFields.signatureV2)
  const signed = fields.get(recordFields.data)
  if (!(signature instanceof Uint8Array) || !(signed instanceof Uint8Array)) throw invalid('no version 2 signature')
  const publicKey = findKey(fields, hash)
  if (!(await verifySignature(publicKey, signature, signedBytes(signed)))) throw invalid('signature')
  const data = decodeRecordData(signed)
  if (data === undefined) throw invalid('malformed')
  checkVersion1(fields, data)
  const value = readValue(data.value)
  const validUntil = readMoment(data.validity)
  if (value === undefined) throw invalid('value')
  if (validUntil === undefined) throw invalid('validity')
  if (validUntil <= now) throw new CairnError('IPNS_RECORD_EXPIRED', { details: { validUntil } })
  return {
    name: nameOfHash(hash),
    value,
    sequence: data.sequence,
    validUntil,
    ttlMs: Number(data.ttlNs / nanosecondsPerMs),
    bytes: Uint8Array.from(bytes),
  }
}

function invalid(reason: string): CairnError {
  return new CairnError('INVALID_IPNS_RECORD', { details: { reason } })
}

/** Returns the key of the name: inlined in it, or in the record if the name contains only its hash. */
function findKey(fields: Fields, hash: MultihashDigest): PublicKey {
  const beside = fields.get(recordFields.publicKey)
  if (beside === undefined) {
    const inline = inlineKey(hash)
    if (inline === undefined) throw invalid('no public key')
    return inline
  }
  const publicKey = beside instanceof Uint8Array ? readPublicKey(beside) : undefined
  if (publicKey === undefined) throw invalid('public key')
  if (nameOfHash(hashPublicKey(publicKey)) !== nameOfHash(hash)) throw invalid('the public key of another name')
  return publicKey
}

/**
 * Fields outside of the signed document are for old readers; they must match the signed ones, so that old and new
 * readers never see different values. The signature of version 1 is ignored, as specified.
 */
function checkVersion1(fields: Fields, data: RecordData): void {
  const isVersion1 = fields.has(recordFields.value) || fields.has(recordFields.signatureV1)
  const pairs = [
    [recordFields.value, data.value],
    [recordFields.validity, data.validity],
    [recordFields.validityType, 0n],
    [recordFields.sequence, data.sequence],
    [recordFields.ttl, data.ttlNs],
  ] as const
  for (const [field, signed] of pairs) {
    const outside = fields.get(field)
    // Zero numbers may be omitted.
    if (outside === undefined && (!isVersion1 || signed === 0n)) continue
    if (!isSame(outside, signed)) throw invalid('version 1 fields that differ from the signed data')
  }
}

function isSame(left: bigint | Uint8Array | undefined, right: bigint | Uint8Array): boolean {
  if (!(left instanceof Uint8Array) || !(right instanceof Uint8Array)) return left === right
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

/** A path; old records also have a bare CID, as text or bytes. */
function readValue(bytes: Uint8Array): string | undefined {
  const text = readText(bytes)
  if (text?.startsWith('/') === true) return /^\/(?:ipfs|ipns)\/[^/]/.test(text) ? text : undefined
  if (bytes.length > maxBareCidBytes) return undefined
  try {
    const cid = text === undefined || text.charCodeAt(0) < 0x20 ? CID.decode(bytes) : CID.parse(text)
    return `/ipfs/${cid.toV1().toString(base32)}`
  } catch {
    // Neither path nor CID.
    return undefined
  }
}

function readMoment(bytes: Uint8Array): number | undefined {
  const parts = rfc3339.exec(readText(bytes) ?? '')
  if (parts === null) return undefined
  const [, seconds = '', fraction = '', zone = ''] = parts
  const moment = Date.parse(`${seconds}${fraction.slice(0, 4)}${zone}`)
  const local = Date.parse(`${seconds}Z`)
  if (Number.isNaN(moment) || Number.isNaN(local)) return undefined
  // The 30th of February and the hour 24 are read as a later time here, and rejected by other readers.
  return new Date(local).toISOString().startsWith(seconds) ? moment : undefined
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8.
    return undefined
  }
}
