import { createDecipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { isEqual } from '../is-equal.ts'
import { generateKey } from '../shards/split.ts'
import { decryptedSize, estimateDecryptedSize } from './decrypted-size.ts'
import { deriveKeysV2 } from './file-key.ts'
import { createSeedV1, decryptBytesV1, encryptBytesV1, overheadV1 } from './file-v1.ts'
import { openUnverifiedV1, sealAgainV1 } from './file-v1-ranges.ts'
import {
  decryptV2,
  encryptedSizeV2,
  encryptV2,
  headerBytesV2,
  isFormatV2,
  openV2,
  type SealedAgain,
  sealAgainV2,
} from './file-v2.ts'

const { masterKey } = generateKey()
const other = generateKey().masterKey
const chunkBytes = 4096

async function join(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return new Uint8Array(Buffer.concat(all))
}

/** Bytes in chunks of odd sizes, as networks deliver them. */
function* pieces(bytes: Uint8Array, size = 1000): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const encrypt = (bytes: Uint8Array, options = {}) =>
  join(encryptV2(pieces(bytes), masterKey, { chunkBytes, ...options }))
const decrypt = (bytes: Uint8Array, key = masterKey) => join(decryptV2(pieces(bytes, 777), key))

test('bytes are equal if all of them are, and none is missing', () => {
  const bytes = Uint8Array.of(1, 2, 0)
  expect(isEqual(bytes, bytes.slice())).toBe(true)
  for (const other of [[1, 2], [1, 2, 0, 0], [1, 3, 0], []]) {
    expect(isEqual(bytes, Uint8Array.from(other))).toBe(false)
    expect(isEqual(Uint8Array.from(other), bytes)).toBe(false)
  }
})

describe('the first format', () => {
  test('is salt, IV, AES-256-GCM ciphertext and tag under a key by PBKDF2 over the key’s text', async () => {
    const plain = randomBytes(100)
    const sealed = Buffer.from(await encryptBytesV1(plain, masterKey))
    expect(sealed.length).toBe(plain.length + overheadV1)
    const key = pbkdf2Sync(masterKey, sealed.subarray(0, 16), 250_000, 32, 'sha256')
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(16, 28))
    decipher.setAuthTag(sealed.subarray(-16))
    expect(Buffer.concat([decipher.update(sealed.subarray(28, -16)), decipher.final()])).toEqual(plain)
  })

  test('decrypts its own output, also empty, and is deterministic for the same seed', async () => {
    const seed = createSeedV1()
    for (const length of [0, 1, 15, 16, 17, 5000]) {
      const plain = new Uint8Array(randomBytes(length))
      const sealed = await encryptBytesV1(plain, masterKey, seed)
      expect(await decryptBytesV1(sealed, masterKey)).toEqual(plain)
      expect(await encryptBytesV1(plain, masterKey, seed)).toEqual(sealed)
    }
  })

  test('releases nothing for another key, a changed byte or a part', async () => {
    const sealed = await encryptBytesV1(randomBytes(20), masterKey)
    expect(await codeOf(decryptBytesV1(sealed, other))).toBe('DECRYPTION_FAILED')
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = sealed.slice()
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await codeOf(decryptBytesV1(changed, masterKey)), String(at)).toBe('DECRYPTION_FAILED')
    }
    expect(await codeOf(decryptBytesV1(sealed.slice(0, -1), masterKey))).toBe('DECRYPTION_FAILED')
    expect(await codeOf(decryptBytesV1(sealed.slice(0, 43), masterKey))).toBe('NOT_ENCRYPTED')
    expect(decryptedSize(sealed.subarray(0, 20), sealed.length)).toBe(sealed.length - 44)
    expect(estimateDecryptedSize(sealed.length).maxBytes).toBe(sealed.length - 44)
    expect(await codeOf((async () => decryptedSize(sealed.slice(0, 43), 43))())).toBe('NOT_ENCRYPTED')
    for (const key of ['key', '0'.repeat(64)])
      expect(await codeOf(encryptBytesV1(new Uint8Array(1), key)), key).toBe('KEY_NOT_SHARDABLE')
  })

  test('reads ranges, and fetches nothing outside them', async () => {
    const plain = new Uint8Array(randomBytes(5000))
    const sealed = await encryptBytesV1(plain, masterKey)
    let read = 0
    const file = await openUnverifiedV1(
      async (from, length) => {
        read += length
        return sealed.subarray(from, from + length)
      },
      sealed.length,
      masterKey,
    )
    expect(file.sizeBytes).toBe(plain.length)
    read = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length + 50), fc.nat(900), async (from, length) => {
        read = 0
        expect(await file.read(from, length)).toEqual(plain.subarray(from, from + length))
        expect(read).toBeLessThan(length + 16)
      }),
      { numRuns: 60 },
    )
    expect(await codeOf(openUnverifiedV1(async () => sealed, 43, masterKey))).toBe('NOT_ENCRYPTED')
  })
})

test('bounds of the decrypted size include that of either format, and meet below the size of a second header', () => {
  const bounds = estimateDecryptedSize(163)
  expect(bounds).toEqual({ minBytes: 119, maxBytes: 119 })
  expect(estimateDecryptedSize(10)).toEqual({ minBytes: 0, maxBytes: 0 })
  fc.assert(
    fc.property(fc.nat(300 * 1024 ** 2), fc.constantFrom(64 * 1024, 1024 ** 2, 16 * 1024 ** 2), (length, chunk) => {
      for (const sealed of [length + 44, encryptedSizeV2(length, chunk)]) {
        const { minBytes, maxBytes } = estimateDecryptedSize(sealed)
        expect(minBytes).toBeLessThanOrEqual(length)
        expect(maxBytes).toBeGreaterThanOrEqual(length)
        expect(maxBytes - minBytes).toBeLessThanOrEqual(150 + length / 4000)
      }
    }),
  )
})

describe('the second format', () => {
  test('decrypts at every length around the borders of chunks, with and without a promised length', async () => {
    for (const length of [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 3 * chunkBytes + 5]) {
      const plain = new Uint8Array(randomBytes(length))
      for (const options of [{}, { sizeBytes: length }]) {
        const sealed = await encrypt(plain, options)
        expect(isFormatV2(sealed)).toBe(true)
        expect(sealed.length).toBe(encryptedSizeV2(length, chunkBytes))
        expect(decryptedSize(sealed.subarray(0, headerBytesV2), sealed.length)).toBe(length)
        expect(await decrypt(sealed)).toEqual(plain)
      }
    }
    expect(await decrypt(await encrypt(new Uint8Array([1, 2])), masterKey.toUpperCase())).toEqual(Uint8Array.of(1, 2))
  })

  test('closes its source when the reader stops early', async () => {
    const sealed = await encrypt(new Uint8Array(3 * chunkBytes))
    let closed = 0
    // An opened file, for example: it is closed although nothing was read.
    const source = {
      [Symbol.iterator]: (): Iterator<Uint8Array> => ({
        next: () => ({ done: false, value: sealed }),
        return() {
          closed++
          return { done: true, value: undefined }
        },
      }),
    }
    for (const reading of [decryptV2(source, masterKey), encryptV2(source, masterKey, { chunkBytes })]) {
      for await (const _piece of reading) break
    }
    expect(closed).toBe(2)
  })

  test('reads only the chunks that a range touches, and the last', async () => {
    const plain = new Uint8Array(randomBytes(20 * chunkBytes + 100))
    const sealed = await encrypt(plain)
    let read = 0
    const file = await openV2(
      async (from, length) => {
        read += length
        return sealed.subarray(from, from + length)
      },
      sealed.length,
      masterKey,
    )
    expect(file.sizeBytes).toBe(plain.length)
    read = 0
    expect(await file.read(5 * chunkBytes - 10, 20)).toEqual(plain.subarray(5 * chunkBytes - 10, 5 * chunkBytes + 10))
    expect(read).toBe(2 * (chunkBytes + 16))
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length + 50), fc.nat(9000), async (from, length) => {
        expect(await file.read(from, length)).toEqual(plain.subarray(from, from + length))
      }),
      { numRuns: 60 },
    )
  })

  test('releases nothing of a chunk with a changed byte, and nothing after it', async () => {
    const plain = new Uint8Array(randomBytes(2 * chunkBytes + 50))
    const sealed = await encrypt(plain)
    const places = [...Array(headerBytesV2).keys(), headerBytesV2, headerBytesV2 + chunkBytes + 20, sealed.length - 1]
    for (const at of places) {
      const changed = sealed.slice()
      changed[at] = (changed[at] ?? 0) ^ 0x10
      const got: Uint8Array[] = []
      const work = (async () => {
        for await (const piece of decryptV2(pieces(changed), masterKey)) got.push(piece)
      })()
      expect(['DECRYPTION_FAILED', 'NOT_ENCRYPTED'], String(at)).toContain(await codeOf(work))
      const released = Buffer.concat(got)
      expect(released.equals(plain.subarray(0, released.length)), String(at)).toBe(true)
      const chunk = at < headerBytesV2 ? 0 : Math.floor((at - headerBytesV2) / (chunkBytes + 16))
      expect(released.length, String(at)).toBeLessThanOrEqual(chunk * chunkBytes)
    }
  })

  test('rejects chunks that are out of order, repeated, missing, foreign or cut off', async () => {
    const plain = new Uint8Array(randomBytes(3 * chunkBytes))
    const sealed = await encrypt(plain)
    const foreign = await encrypt(plain)
    const sealedBytes = chunkBytes + 16
    const chunk = (file: Uint8Array, i: number) =>
      file.subarray(headerBytesV2 + i * sealedBytes, headerBytesV2 + (i + 1) * sealedBytes)
    const head = sealed.subarray(0, headerBytesV2)
    const build = (...chunks: Uint8Array[]) => new Uint8Array(Buffer.concat([head, ...chunks]))
    for (const bad of [
      build(chunk(sealed, 1), chunk(sealed, 0), chunk(sealed, 2)),
      build(chunk(sealed, 0), chunk(sealed, 0), chunk(sealed, 2)),
      build(chunk(sealed, 0), chunk(sealed, 2)),
      build(chunk(sealed, 0), chunk(foreign, 1), chunk(sealed, 2)),
      build(chunk(sealed, 0), chunk(sealed, 1)),
      build(chunk(sealed, 0), chunk(sealed, 1), chunk(sealed, 2), chunk(sealed, 2)),
      build(),
      sealed.subarray(0, -1),
    ]) {
      expect(await codeOf(decrypt(bad))).toBe('DECRYPTION_FAILED')
      const open = openV2(async (from, length) => bad.subarray(from, from + length), bad.length, masterKey)
      expect(await codeOf(open.then((file) => file.read(0, plain.length)))).toBe('DECRYPTION_FAILED')
    }
    // Only the last chunk proves the length: a file that ends with another one does not open.
    const cut = build(chunk(sealed, 0), chunk(sealed, 1))
    const opening = openV2(async (from, length) => cut.subarray(from, from + length), cut.length, masterKey)
    expect(await codeOf(opening)).toBe('DECRYPTION_FAILED')
    expect(await codeOf(decrypt(sealed, other))).toBe('DECRYPTION_FAILED')
  })

  test('accepts an empty last chunk in an empty file only, even with the right key', async () => {
    const chunkBytes = 4096
    const all: Uint8Array[] = []
    for await (const piece of encryptV2([randomBytes(10)], masterKey, { chunkBytes })) all.push(piece)
    const header = new Uint8Array(all[0] ?? [])
    const keys = await deriveKeysV2(masterKey, header.slice(12, 44), 'decrypt')
    const seal = async (bytes: Uint8Array<ArrayBuffer>, counter: number, isLast: boolean) => {
      const iv = new Uint8Array([...header.subarray(44, 51), 0, 0, 0, counter, isLast ? 1 : 0])
      return Buffer.from(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, keys.chunks, bytes))
    }
    const plain = new Uint8Array(randomBytes(chunkBytes))
    const open = async (file: Buffer) => {
      const opened = await openV2(async (from, length) => file.subarray(from, from + length), file.length, masterKey)
      return opened.read(0, 10_000)
    }
    const right = Buffer.concat([header, await seal(plain, 0, true)])
    expect(await open(right)).toEqual(plain)
    const forged = Buffer.concat([header, await seal(plain, 0, false), await seal(new Uint8Array(0), 1, true)])
    await expect(open(forged)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
    const stream = async () => {
      for await (const _piece of decryptV2([forged], masterKey));
    }
    await expect(stream()).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
  })

  test('rejects a header that no writer produces, even with the right key', async () => {
    const sealed = await encrypt(new Uint8Array(10))
    const keys = await deriveKeysV2(masterKey, sealed.slice(12, 44), 'encrypt')
    const macBytes = 24
    const write = async (at: number, bits: number) => {
      const file = sealed.slice()
      file[at] = (file[at] ?? 0) ^ bits
      const mac = await crypto.subtle.sign('HMAC', keys.header, file.slice(0, headerBytesV2 - macBytes))
      file.set(new Uint8Array(mac).subarray(0, macBytes), headerBytesV2 - macBytes)
      return file
    }
    expect(await decrypt(await write(11, 2)), 'an owner commitment').toEqual(new Uint8Array(10))
    for (const [what, at, bits, code] of [
      ['an unknown flag', 11, 4, 'NOT_ENCRYPTED'],
      ['a byte that is zero', 51, 1, 'NOT_ENCRYPTED'],
      ['the commitment of another key', 60, 1, 'DECRYPTION_FAILED'],
    ] as const)
      expect(await codeOf(decrypt(await write(at, bits))), what).toBe(code)
  })

  test('rejects a file of another length than its header promises, even with the right key', async () => {
    for (const [length, sizeBytes] of [
      [10, 11],
      [chunkBytes + 1, chunkBytes],
    ] as const) {
      const all: Uint8Array[] = []
      const writing = (async () => {
        for await (const piece of encryptV2([randomBytes(length)], masterKey, { chunkBytes, sizeBytes }))
          all.push(piece)
      })()
      expect(await codeOf(writing)).toBe('FILE_CHANGED')
      const sealed = new Uint8Array(Buffer.concat(all))
      expect(await codeOf(decrypt(sealed))).toBe('DECRYPTION_FAILED')
      const open = openV2(async (from, count) => sealed.subarray(from, from + count), sealed.length, masterKey)
      expect(await codeOf(open)).toBe('DECRYPTION_FAILED')
    }
  })

  test('rejects any other input as not encrypted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(['NOT_ENCRYPTED', 'DECRYPTION_FAILED']).toContain(await codeOf(decrypt(bytes)))
      }),
      { numRuns: 200 },
    )
    expect(await codeOf(encrypt(new Uint8Array(5), { sizeBytes: 6 }))).toBe('FILE_CHANGED')
    expect(await codeOf(encrypt(new Uint8Array(5), { chunkBytes: 5000 }))).toBe('INVALID_REQUEST')
  })
})

describe.each([
  {
    format: 'first',
    seal: encryptBytesV1,
    sealAgain: sealAgainV1,
    tagBytes: 16,
    // It has no chunks, and each run derives a key, which takes 100 ms.
    lengths: [0, 1, 3 * chunkBytes + 5],
  },
  {
    format: 'second',
    seal: (bytes: Uint8Array) => encrypt(bytes),
    sealAgain: sealAgainV2,
    tagBytes: 0,
    lengths: [0, 1, chunkBytes, 3 * chunkBytes, 3 * chunkBytes + 5],
  },
])('a file of the $format format, encrypted again', ({ seal, sealAgain, tagBytes, lengths }) => {
  test('gives the same bytes wherever the plaintext is the same', async () => {
    for (const length of lengths) {
      const plain = new Uint8Array(randomBytes(length))
      const sealed = await seal(plain, masterKey)
      const slice = (bytes: Uint8Array) => async (from: number, count: number) => bytes.subarray(from, from + count)
      await fc.assert(
        fc.asyncProperty(fc.nat(length), fc.nat(sealed.length), fc.nat(9000), async (kept, from, count) => {
          const again = await sealAgain(slice(sealed), sealed.length, masterKey, slice(plain.subarray(0, kept)))
          expect(again.sizeBytes).toBe(length)
          const restored = again.sealedPrefix(kept)
          const end = Math.min(from + count, restored)
          if (end > from) expect(await again.read(from, end - from)).toEqual(sealed.subarray(from, end))
          // Encrypted bytes that are complete are restored, and nothing else.
          const whole = again.plainPrefix(end)
          expect(whole).toBeLessThanOrEqual(length)
          expect(again.sealedPrefix(whole)).toBeLessThanOrEqual(Math.max(end, headBytesOf(again)))
        }),
        { numRuns: 15 },
      )
      const all = await sealAgain(slice(sealed), sealed.length, masterKey, slice(plain))
      expect(all.sealedPrefix(length)).toBe(sealed.length - tagBytes)
      expect(all.plainPrefix(sealed.length)).toBe(length)
    }
  })

  /** The parts restored without any plaintext. */
  const headBytesOf = (again: SealedAgain) => again.sealedPrefix(0)

  test('differs where the plaintext does, and ends where the plaintext ends', async () => {
    const plain = new Uint8Array(randomBytes(3 * chunkBytes))
    const sealed = await seal(plain, masterKey)
    const changed = plain.slice(0, 2 * chunkBytes)
    changed[chunkBytes] = (changed[chunkBytes] ?? 0) ^ 1
    const readHead = async (from: number, count: number) => sealed.subarray(from, from + count)
    const again = await sealAgain(readHead, sealed.length, masterKey, async (from, count) =>
      changed.subarray(from, from + count),
    )
    const restored = again.sealedPrefix(changed.length)
    expect(await again.read(0, restored)).not.toEqual(sealed.subarray(0, restored))
    expect(await codeOf(again.read(0, sealed.length))).toBe('FILE_CHANGED')
  })
})
