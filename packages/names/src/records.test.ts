import { readFileSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'
import { generateKeyPair, privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import { ed25519 } from '@noble/curves/ed25519.js'
import { encode } from 'cborg'
import fc from 'fast-check'
import { createIPNSRecord, marshalIPNSRecord, multihashToIPNSRoutingKey, unmarshalIPNSRecord } from 'ipns'
import { ipnsSelector } from 'ipns/selector'
import { ipnsValidator } from 'ipns/validator'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64pad } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { writeFields } from './fields.ts'
import {
  createNameKey,
  createRecord,
  exportNameKey,
  isNewer,
  type NameKey,
  nameKeyFromSeed,
  readRecord,
} from './index.ts'
import { encodeRecordData, signedBytes } from './record-data.ts'
import { recordFields } from './record-fields.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)

const value = '/ipfs/bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am'
const hour = 3_600_000

const routingKey = (name: string) => {
  const { multihash } = CID.parse(name, base36)
  if (multihash.code !== 0x00 && multihash.code !== 0x12) throw new Error('not a name')
  return multihashToIPNSRoutingKey({ ...multihash, code: multihash.code })
}
const sign = (key: NameKey, more: { sequence?: bigint; lifetimeMs?: number; ttlMs?: number; value?: string } = {}) =>
  createRecord(key, { value, sequence: 1n, lifetimeMs: hour, ttlMs: 60_000, ...more })
const code = (error: unknown) => (CairnError.is(error) ? error.code : error)
const refusal = (name: string, bytes: Uint8Array, now?: number) =>
  readRecord(name, bytes, now).then(() => 'accepted', code)

const path = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { maxLength: 3 })
  .map((names) => [value, ...names.map((name) => name.replaceAll('/', '-'))].join('/'))
const options = fc.record({
  seed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  value: path,
  sequence: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  lifetimeMs: fc.integer({ min: 60_000, max: 365 * 24 * hour }),
  ttlMs: fc.integer({ min: 0, max: 365 * 24 * hour }),
})

test('the ipns package accepts records signed here and reads the same values', async () => {
  await fc.assert(
    fc.asyncProperty(options, async ({ seed, ...more }) => {
      const key = await nameKeyFromSeed(seed)
      const bytes = await createRecord(key, more)
      await ipnsValidator(routingKey(key.name), bytes)
      const theirs = unmarshalIPNSRecord(bytes)
      // The reference reader trims the value.
      expect(theirs.value).toBe(more.value.trim())
      expect(theirs.sequence).toBe(more.sequence)
      expect(theirs.ttl).toBe(BigInt(more.ttlMs) * 1_000_000n)
      const ours = await readRecord(key.name, bytes)
      expect(ours).toMatchObject({ name: key.name, value: more.value, sequence: more.sequence, ttlMs: more.ttlMs })
      expect(new Date(theirs.validity).getTime()).toBe(ours.validUntil)
    }),
    { numRuns: 50 },
  )
})

test('signs the same bytes as the ipns package for the same expiry', async () => {
  await fc.assert(
    fc.asyncProperty(options, async ({ seed, ...more }) => {
      const key = await nameKeyFromSeed(seed)
      const libp2pKey = privateKeyFromProtobuf(base64pad.baseDecode(exportNameKey(key, 'libp2p')))
      const trimmed = more.value.trim()
      const ttlNs = BigInt(more.ttlMs) * 1_000_000n
      const theirs = marshalIPNSRecord(
        await createIPNSRecord(libp2pKey, trimmed, more.sequence, more.lifetimeMs, { ttlNs, v1Compatible: true }),
      )
      const read = await readRecord(key.name, theirs)
      expect(read).toMatchObject({ value: trimmed, sequence: more.sequence, ttlMs: more.ttlMs })
      const ours = await createRecord(key, { ...more, value: trimmed, lifetimeMs: 0, now: read.validUntil })
      const end = new Date(read.validUntil).toISOString().replace('Z', '')
      // The reference clock has microseconds in the last digits, so only the lengths are compared.
      const theirEnd = unmarshalIPNSRecord(theirs).validity
      if (theirEnd === `${end}000000Z`) expect(ours).toEqual(theirs)
      else expect(ours.length).toBe(theirs.length)
    }),
    { numRuns: 50 },
  )
})

test.each(['RSA', 'secp256k1'] as const)(
  'reads records by %s keys, and rejects them for another name',
  async (type) => {
    const key = type === 'RSA' ? await generateKeyPair('RSA', 2048) : await generateKeyPair('secp256k1')
    const bytes = marshalIPNSRecord(await createIPNSRecord(key, value, 7n, hour, { v1Compatible: true }))
    const name = key.publicKey.toCID().toString(base36)
    expect(await readRecord(name, bytes)).toMatchObject({ name, value, sequence: 7n })
    expect(await refusal((await createNameKey()).name, bytes)).toBe('INVALID_IPNS_RECORD')
    const changed = Uint8Array.from(bytes)
    changed[changed.length - 3] = (changed[changed.length - 3] ?? 0) ^ 1
    expect(await refusal(name, changed)).toBe('INVALID_IPNS_RECORD')
  },
)

test('rejects RSA keys below 2048 bits', async () => {
  const key = await generateKeyPair('RSA', 1024)
  const bytes = marshalIPNSRecord(await createIPNSRecord(key, value, 7n, hour, { v1Compatible: true }))
  expect(await refusal(key.publicKey.toCID().toString(base36), bytes)).toBe('INVALID_IPNS_RECORD')
})

const kubo = readFileSync(new URL('./vectors/kubo-records.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '))

test.each(kubo)('reads the record of Kubo for %s', async (name = '', kuboValue, sequence, ttlMs, record = '') => {
  const bytes = base64pad.baseDecode(record)
  const read = await readRecord(name, bytes)
  expect(read).toMatchObject({ name, value: kuboValue, sequence: BigInt(sequence ?? ''), ttlMs: Number(ttlMs) })
  expect(new Date(read.validUntil).getUTCFullYear()).toBe(2126)
  expect(read.bytes).toEqual(bytes)
})

test.each<[string, string | undefined]>([
  ['signed here', undefined],
  ...kubo.map(([name = '', , , , record = '']): [string, string] => [name, record]),
])(
  'any changed byte of the record %s is rejected, or changes nothing that is read',
  { timeout: 120_000 },
  async (name, record) => {
    const key = await createNameKey()
    const from = record === undefined ? key.name : name
    const bytes = record === undefined ? await sign(key) : base64pad.baseDecode(record)
    const { bytes: _, ...meant } = await readRecord(from, bytes)
    const accepted: number[] = []
    for (let at = 0; at < bytes.length; at++) {
      // Each one takes a signature check, so the long ring changes both bits of each byte.
      for (const mask of fuzz > 1 ? [1, 0x80] : [at % 2 === 0 ? 1 : 0x80]) {
        const changed = Uint8Array.from(bytes)
        changed[at] = (bytes[at] ?? 0) ^ mask
        const read = await readRecord(from, changed).catch(code)
        if (read === 'INVALID_IPNS_RECORD') continue
        // Only the version 1 signature may differ, which readers ignore according to the specification.
        expect(read).toMatchObject(meant)
        accepted.push(at)
      }
    }
    const version1 = unmarshalIPNSRecord(bytes)
    const length = 'signatureV1' in version1 ? version1.signatureV1.length : 0
    const at = 'signatureV1' in version1 ? Buffer.from(bytes).indexOf(version1.signatureV1) : 0
    const signature = Array.from({ length }, (_byte, i) => at + i)
    // Its tag and length are in the two preceding bytes: in one of 256 signatures, a change there makes it an unknown field.
    const others = accepted.filter((position) => !signature.includes(position))
    expect(signature.filter((position) => !accepted.includes(position))).toEqual([])
    expect(others.filter((position) => length === 0 || (position !== at - 1 && position !== at - 2))).toEqual([])
  },
)

test('rejects a record that is shortened or extended anywhere', async () => {
  const key = await createNameKey()
  const bytes = await sign(key)
  for (let length = 0; length < bytes.length; length++) {
    expect(await refusal(key.name, bytes.subarray(0, length))).toBe('INVALID_IPNS_RECORD')
  }
  expect(await refusal(key.name, Uint8Array.of(...bytes, 0))).toBe('INVALID_IPNS_RECORD')
})

test('reads a bare CID as the value, and none longer than a CID', async () => {
  const key = await createNameKey()
  const validity = new TextEncoder().encode('2126-10-28T08:21:06.5Z')
  const read = async (cid: CID) => {
    const text = new TextEncoder().encode(cid.toString(base58btc))
    const signed = encodeRecordData({ value: text, validity, sequence: 1n, ttlNs: 0n })
    const record = writeFields([
      [recordFields.signatureV2, ed25519.sign(signedBytes(signed), key.seed)],
      [recordFields.data, signed],
    ])
    return readRecord(key.name, record).then((found) => found.value, code)
  }
  const identityOf = (sizeBytes: number) => CID.createV1(0x55, createDigest(0, new Uint8Array(sizeBytes)))
  const longest = identityOf(128)
  expect(await read(longest)).toBe(`/ipfs/${longest}`)
  expect(await read(identityOf(300))).toBe('INVALID_IPNS_RECORD')
})

test('rejects bytes of any kind with a code', async () => {
  const { name } = await createNameKey()
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(await refusal(name, bytes)).toBe('INVALID_IPNS_RECORD')
    }),
    { numRuns: 500 * fuzz },
  )
})

test('reads or rejects with a code any document that the key signed, and reads only values in bounds', async () => {
  const key = await createNameKey()
  const bytes = fc.uint8Array({ maxLength: 40 })
  const text = fc.constantFrom(value, '/ipns/x', '/', 'hello', '', '2126-10-28T08:21:06.5Z', '2126-13-99T99:99:99Z')
  const field = fc.oneof(
    bytes,
    text.map((one) => new TextEncoder().encode(one)),
    fc.bigInt({ min: -(1n << 64n), max: (1n << 64n) - 1n }),
    fc.integer({ min: 0, max: 2 }),
    fc.double(),
    fc.string(),
    fc.constant(null),
    fc.object({ maxDepth: 2 }),
  )
  const document = fc.record(
    { Value: field, Validity: field, ValidityType: field, Sequence: field, TTL: field, Other: field },
    { requiredKeys: [] },
  )
  const data = fc.oneof(
    bytes,
    document.map((one) => encode(one)),
    fc.integer({ min: 1, max: 9000 }).map((depth) => new Uint8Array(depth).fill(0x81)),
  )
  await fc.assert(
    fc.asyncProperty(data, async (signed) => {
      const record = writeFields([
        [recordFields.signatureV2, ed25519.sign(signedBytes(signed), key.seed)],
        [recordFields.data, signed],
      ])
      let refused: unknown
      const read = await readRecord(key.name, record).catch((error: unknown) => {
        refused = code(error)
      })
      if (read === undefined) {
        expect(['INVALID_IPNS_RECORD', 'IPNS_RECORD_EXPIRED']).toContain(refused)
        return
      }
      expect(read.value).toMatch(/^\/ip[fn]s\/./)
      expect(read.sequence >= 0n && read.sequence < 1n << 64n).toBe(true)
      expect(Number.isSafeInteger(read.ttlMs) && read.ttlMs >= 0 && read.validUntil > Date.now() - 60_000).toBe(true)
    }),
    { numRuns: 150 * fuzz },
  )
})

test.each([
  ['2126-10-28T08:21:06.5Z', true],
  ['2126-10-28T23:21:06.123456789-02:00', true],
  ['2128-02-29T00:00:00Z', true],
  ['2126-02-29T00:00:00Z', false],
  ['2126-02-30T00:00:00+01:00', false],
  ['2126-01-01T24:00:00Z', false],
  ['2126-12-31T23:59:60Z', false],
  ['2126-01-01T00:00:00+24:00', false],
])('the expiry %s is a time: %s', async (text, isTime) => {
  const key = await createNameKey()
  const bytes = new TextEncoder()
  const signed = encodeRecordData({
    value: bytes.encode(value),
    validity: bytes.encode(text),
    sequence: 1n,
    ttlNs: 0n,
  })
  const record = writeFields([
    [recordFields.signatureV2, ed25519.sign(signedBytes(signed), key.seed)],
    [recordFields.data, signed],
  ])
  expect(await refusal(key.name, record)).toBe(isTime ? 'accepted' : 'INVALID_IPNS_RECORD')
})

test('rejects expired records to the millisecond, and states when they expired', async () => {
  const key = await createNameKey()
  const bytes = await createRecord(key, { value, sequence: 1n, lifetimeMs: 1000, ttlMs: 0, now: 5000 })
  expect(await readRecord(key.name, bytes, 5999)).toMatchObject({ validUntil: 6000, ttlMs: 0 })
  await expect(readRecord(key.name, bytes, 6000)).rejects.toMatchObject({
    code: 'IPNS_RECORD_EXPIRED',
    details: { validUntil: 6000 },
  })
})

test('rejects records of another name, even with its key beside them', async () => {
  const [own, other] = [await createNameKey(), await createNameKey()]
  const bytes = await sign(other)
  expect(await refusal(own.name, bytes)).toBe('INVALID_IPNS_RECORD')
  const withKey = Uint8Array.of(
    ...bytes,
    ...writeFields([[recordFields.publicKey, Uint8Array.of(8, 1, 0x12, 0x20, ...other.publicKey)]]),
  )
  expect(await refusal(own.name, withKey)).toBe('INVALID_IPNS_RECORD')
  expect(await refusal(other.name, withKey)).toBe('accepted')
})

test('rejects records above 10 KiB, and signs none', async () => {
  const key = await createNameKey()
  const maxBytes = 10 * 1024
  await expect(sign(key, { value: `${value}/${'a'.repeat(maxBytes)}` })).rejects.toMatchObject({
    code: 'INVALID_NAME_VALUE',
  })
  const bytes = await sign(key)
  const padding = (length: number) => writeFields([[15, new Uint8Array(length)]])
  const fitting = Uint8Array.of(...bytes, ...padding(maxBytes - bytes.length - 3))
  expect(fitting.length).toBe(maxBytes)
  expect(await refusal(key.name, fitting)).toBe('accepted')
  expect(await refusal(key.name, Uint8Array.of(...bytes, ...padding(maxBytes - bytes.length - 2)))).toBe(
    'INVALID_IPNS_RECORD',
  )
})

test('rejects fields of version 1 that differ from the signed ones', async () => {
  const key = await createNameKey()
  const bytes = await sign(key, { sequence: 5n })
  // Field 5, sequence, 5 → 6; the field is one byte after its tag.
  const at = bytes.findIndex((byte, index) => byte === 0x28 && bytes[index + 1] === 5 && bytes[index + 2] === 0x30)
  const changed = Uint8Array.from(bytes)
  changed[at + 1] = 6
  await expect(readRecord(key.name, changed)).rejects.toMatchObject({
    details: { reason: 'version 1 fields that differ from the signed data' },
  })
})

test.each([
  ['no path', 'hello', 'INVALID_NAME_VALUE'],
  ['another namespace', '/dnslink/example.org', 'INVALID_NAME_VALUE'],
  ['nothing behind the namespace', '/ipfs/', 'INVALID_NAME_VALUE'],
])('does not sign a value that is %s', async (_, wrong, expected) => {
  await expect(sign(await createNameKey(), { value: wrong })).rejects.toMatchObject({ code: expected })
})

test('does not sign numbers that a record cannot hold', async () => {
  const key = await createNameKey()
  for (const wrong of [
    { sequence: -1n },
    { sequence: 1n << 64n },
    { ttlMs: -1 },
    { ttlMs: 0.5 },
    { ttlMs: Number.MAX_SAFE_INTEGER },
    { lifetimeMs: Number.NaN },
    { lifetimeMs: 1e18 },
  ]) {
    await expect(sign(key, wrong)).rejects.toMatchObject({ code: 'INVALID_IPNS_RECORD' })
  }
})

test('selects the same record as the ipns package', async () => {
  const key = await createNameKey()
  const choice = fc.record({
    sequence: fc.bigInt({ min: 0n, max: 3n }),
    lifetimeMs: fc.constantFrom(hour, 2 * hour, 3 * hour),
  })
  await fc.assert(
    fc.asyncProperty(choice, choice, async (first, second) => {
      const now = Date.now()
      const bytes = [
        await createRecord(key, { ...first, value, ttlMs: 0, now }),
        await createRecord(key, { ...second, value, ttlMs: 0, now }),
      ] as const
      const [one, two] = [await readRecord(key.name, bytes[0]), await readRecord(key.name, bytes[1])]
      const theirs = ipnsSelector(routingKey(key.name), [...bytes])
      expect(isNewer(two, one) ? 1 : 0).toBe(theirs)
      expect(isNewer(one, two) && isNewer(two, one)).toBe(false)
      expect(isNewer(one, one)).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('the signed document is DAG-CBOR with sorted keys', () => {
  const bytes = encodeRecordData({ value: Uint8Array.of(1), validity: Uint8Array.of(2), sequence: 3n, ttlNs: 4n })
  const text = new TextDecoder('latin1').decode(bytes)
  const keys = ['TTL', 'Value', 'Sequence', 'Validity', 'ValidityType']
  expect(keys.map((key) => text.indexOf(key))).toEqual(keys.map((key) => text.indexOf(key)).toSorted((a, b) => a - b))
})
