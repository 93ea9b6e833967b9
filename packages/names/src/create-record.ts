import { CairnError, maxNameRecordBytes } from '@cairn/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { writeFields } from './fields.ts'
import type { NameKey } from './name-key.ts'
import { encodeRecordData, signedBytes } from './record-data.ts'
import { recordFields } from './record-fields.ts'

const nanosecondsPerMs = 1_000_000n
const maxUint64 = (1n << 64n) - 1n
const text = new TextEncoder()

/** Fields of a record. */
export type RecordOptions = {
  /** `/ipfs/{cid}` or `/ipns/{name}`, with or without a path. */
  value: string
  /** Must exceed that of every published record. */
  sequence: bigint
  /** Lifetime of the record in ms, from now. */
  lifetimeMs: number
  /** Time in ms that readers may cache it. */
  ttlMs: number
  /** Current time in ms since 1970. Defaults to the clock. */
  now?: number
}

/**
 * Signs a record with signatures of versions 1 and 2, so that old and new readers accept it.
 * @throws CairnError INVALID_NAME_VALUE for a value that is not a path or too long, INVALID_IPNS_RECORD for numbers out
 *   of range
 * @see https://specs.ipfs.tech/ipns/ipns-record/#record-creation
 */
export async function createRecord(key: NameKey, options: RecordOptions): Promise<Uint8Array> {
  const { sequence } = options
  const end = (options.now ?? Date.now()) + options.lifetimeMs
  if (!/^\/(?:ipfs|ipns)\/[^/\s]/.test(options.value)) throw new CairnError('INVALID_NAME_VALUE')
  const isPossible =
    sequence >= 0n &&
    sequence <= maxUint64 &&
    Number.isSafeInteger(options.ttlMs) &&
    options.ttlMs >= 0 &&
    BigInt(options.ttlMs) * nanosecondsPerMs <= maxUint64 &&
    end >= 0 &&
    end <= lastMoment
  if (!isPossible)
    throw new CairnError('INVALID_IPNS_RECORD', {
      details: { reason: 'the sequence, time to live or end is out of range' },
    })
  const value = text.encode(options.value)
  // Other implementations write nanoseconds; this clock has milliseconds.
  const validity = text.encode(new Date(end).toISOString().replace('Z', '000000Z'))
  const ttlNs = BigInt(options.ttlMs) * nanosecondsPerMs
  const data = encodeRecordData({ value, validity, sequence, ttlNs })
  const bytes = writeFields([
    [recordFields.value, value],
    [recordFields.signatureV1, ed25519.sign(Uint8Array.of(...value, ...validity, ...text.encode('EOL')), key.seed)],
    [recordFields.validityType, 0n],
    [recordFields.validity, validity],
    [recordFields.sequence, sequence],
    [recordFields.ttl, ttlNs],
    [recordFields.signatureV2, ed25519.sign(signedBytes(data), key.seed)],
    [recordFields.data, data],
  ])
  if (bytes.length > maxNameRecordBytes) throw new CairnError('INVALID_NAME_VALUE')
  return bytes
}

/** 9999-12-31T23:59:59.999Z: the latest time in RFC 3339. */
const lastMoment = 253_402_300_799_999
