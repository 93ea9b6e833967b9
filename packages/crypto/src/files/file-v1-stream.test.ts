import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { generateKey } from '../shards/split.ts'
import { createSeedV1, decryptBytesV1, encryptBytesV1, overheadV1 } from './file-v1.ts'
import { decryptUnverifiedV1, encryptV1, verifyV1 } from './file-v1-stream.ts'

const { masterKey } = generateKey()
const mebibyte = 1024 * 1024

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function join(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return new Uint8Array(Buffer.concat(all))
}

function changeAt(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice()
  changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
  return changed
}

test('the stream equals the WebCrypto message byte for byte, at every length around its pieces', async () => {
  const seed = createSeedV1()
  for (const length of [0, 1, 15, 16, 17, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 5]) {
    const plain = new Uint8Array(randomBytes(length))
    const sealed = await join(encryptV1(cut(plain, 100_003), masterKey, seed))
    expect(Buffer.from(await encryptBytesV1(plain, masterKey, seed)).equals(sealed), String(length)).toBe(true)
    expect(sealed.length).toBe(length + overheadV1)
    expect(Buffer.from(await join(decryptUnverifiedV1(cut(sealed, 65_537), masterKey))).equals(plain)).toBe(true)
    const verified = await verifyV1(cut(sealed, 99_991), masterKey)
    expect(Buffer.from(await join(verified.decrypt(cut(sealed, 70_001)))).equals(plain), String(length)).toBe(true)
    expect(Buffer.from(await decryptBytesV1(sealed, masterKey)).equals(plain)).toBe(true)
  }
})

test('detects a changed bit, another key or a missing end before it decrypts anything', async () => {
  const sealed = await join(encryptV1(cut(new Uint8Array(randomBytes(mebibyte + 100)), 50_000), masterKey))
  const places = [0, 15, 16, 27, 28, 29, 28 + mebibyte - 1, 28 + mebibyte, sealed.length - 17, sealed.length - 1]
  for (const at of places) {
    const changed = changeAt(sealed, at)
    expect(await codeOf(verifyV1(cut(changed, 65_536), masterKey)), String(at)).toBe('DECRYPTION_FAILED')
    expect(await codeOf(join(decryptUnverifiedV1(cut(changed, 65_536), masterKey)))).toBe('DECRYPTION_FAILED')
  }
  expect(await codeOf(verifyV1([sealed], generateKey().masterKey))).toBe('DECRYPTION_FAILED')
  expect(await codeOf(verifyV1([sealed.subarray(0, -1)], masterKey))).toBe('DECRYPTION_FAILED')
  expect(await codeOf(verifyV1([sealed.subarray(0, -mebibyte)], masterKey))).toBe('DECRYPTION_FAILED')
  expect(await codeOf(verifyV1([sealed, new Uint8Array(16)], masterKey))).toBe('DECRYPTION_FAILED')
  for (const length of [0, 27, 28, 43])
    expect(await codeOf(verifyV1([sealed.subarray(0, length)], masterKey)), String(length)).toBe('NOT_ENCRYPTED')
})

test('decrypts only the bytes that it verified, even if a second read differs', async () => {
  const sealed = await join(encryptV1(cut(new Uint8Array(randomBytes(3 * mebibyte)), 50_000), masterKey))
  const verified = await verifyV1([sealed], masterKey)
  const other = await join(encryptV1([new Uint8Array(3 * mebibyte)], masterKey))
  const head = 28
  for (const [bytes, released] of [
    [changeAt(sealed, head), 0],
    [changeAt(sealed, head + 2 * mebibyte), 2 * mebibyte],
    [changeAt(sealed, head + 3 * mebibyte - 1), 2 * mebibyte],
    [sealed.subarray(0, -1), 2 * mebibyte],
    [sealed.subarray(0, head + 2 * mebibyte + 16), 2 * mebibyte],
    [sealed.subarray(0, head + 16), 0],
    [Buffer.concat([sealed, sealed]), 3 * mebibyte],
    [Buffer.concat([sealed.subarray(0, head), sealed.subarray(head + mebibyte)]), 0],
    [other, 0],
  ] satisfies [Uint8Array, number][]) {
    let got = 0
    const work = async () => {
      for await (const piece of verified.decrypt([bytes])) got += piece.length
    }
    expect([await codeOf(work()), got]).toEqual(['DECRYPTION_FAILED', released])
  }
  expect((await join(verified.decrypt([sealed]))).length).toBe(3 * mebibyte)
})

test('closes the source when its reader stops', async () => {
  let closed = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(mebibyte)
    } finally {
      closed++
    }
  }
  for (const stream of [encryptV1(endless(), masterKey), decryptUnverifiedV1(endless(), masterKey)])
    for await (const piece of stream) if (piece.length > 100) break
  expect(closed).toBe(2)
})
