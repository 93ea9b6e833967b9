import { expect, test } from 'vitest'
import { fitsKey } from './decrypt-stream.ts'
import { encryptStream, type FileFormat } from './encrypt-stream.ts'

const masterKey = '5a'.repeat(32)
const otherKey = '5b'.repeat(32)

/** Encrypts 8 MiB, and counts the bytes read of it. */
async function seal(format: FileFormat) {
  const pieces: Uint8Array[] = []
  const plain = Array.from({ length: 8 }, () => new Uint8Array(1024 * 1024).fill(7))
  for await (const piece of encryptStream(plain, masterKey, { format })) pieces.push(new Uint8Array(piece))
  const sealed = Buffer.concat(pieces)
  const read = { bytes: 0 }
  async function* open() {
    for (let at = 0; at < sealed.length; at += 65_536) {
      const piece = new Uint8Array(sealed.subarray(at, at + 65_536))
      read.bytes += piece.length
      yield piece
    }
  }
  return { sealedBytes: sealed.length, read, open }
}

test.each(['v1', 'v2'] as const)('the key of a file of format %s is known from its bytes', async (format) => {
  const { open } = await seal(format)
  expect(await fitsKey(open(), masterKey)).toBe(true)
  expect(await fitsKey(open(), otherKey)).toBe(false)
})

test('the first chunk suffices for a file of the second format', async () => {
  const { open, read, sealedBytes } = await seal('v2')
  expect(await fitsKey(open(), masterKey)).toBe(true)
  expect(read.bytes).toBeLessThan(sealedBytes / 2)
})

test('a source that breaks off reveals nothing about the key', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100)
    throw new Error('broken')
  }
  await expect(fitsKey(broken(), masterKey)).rejects.toThrow('broken')
})
