import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { decryptBytesV1, encryptBytesV1, generateKey } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decryptStream, decryptUnverified } from './decrypt-stream.ts'
import { encryptedSize, encryptStream } from './encrypt-stream.ts'

type Cipher = {
  encryptFile(bytes: ArrayBuffer, key: string): Promise<Uint8Array>
  decryptFile(bytes: Uint8Array, key: string): Promise<ArrayBuffer>
}
const published: Cipher = createRequire(import.meta.url)(
  '@lighthouse-web3/sdk/dist/Lighthouse/uploadEncrypted/encryptionNode.js',
)
const { masterKey } = generateKey()

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function join(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  // A piece is only good until the next one comes.
  for await (const piece of stream) all.push(piece.slice())
  return new Uint8Array(Buffer.concat(all))
}
const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith('cairn-decrypt-')).length

test.each(['v1', 'v2'] as const)(
  '%s comes back however it is cut, and has the size that was promised',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(70_000),
        fc.integer({ min: 1, max: 9000 }),
        fc.integer({ min: 1, max: 9000 }),
        async (length, cut, cutAgain) => {
          const plain = new Uint8Array(randomBytes(length))
          const sealed = await join(encryptStream(pieces(plain, cut), masterKey, { format }))
          expect(sealed.length).toBe(encryptedSize(length, format))
          expect(await join(decryptStream(pieces(sealed, cutAgain), masterKey))).toEqual(plain)
          expect(await join(decryptUnverified(pieces(sealed, cutAgain), masterKey))).toEqual(plain)
        },
      ),
      { numRuns: format === 'v1' ? 8 : 20 },
    )
  },
)

test('what the published client encrypts we open, and what we encrypt it opens, streamed and whole', async () => {
  const plain = new Uint8Array(randomBytes(100_000))
  const theirs = new Uint8Array(await published.encryptFile(new Uint8Array(plain).buffer, masterKey))
  expect(await join(decryptStream(pieces(theirs, 4096), masterKey))).toEqual(plain)
  expect(await decryptBytesV1(theirs, masterKey)).toEqual(plain)
  for (const ours of [await join(encryptStream(pieces(plain, 999), masterKey)), await encryptBytesV1(plain, masterKey)])
    expect(new Uint8Array(await published.decryptFile(ours, masterKey))).toEqual(plain)
})

test.each(['v1', 'v2'] as const)(
  'a changed byte of %s releases nothing of it, and leaves nothing behind',
  async (format) => {
    const sealed = await join(encryptStream(pieces(new Uint8Array(randomBytes(5000)), 700), masterKey, { format }))
    const before = spools()
    for (const at of [0, 10, 20, 30, 160, 3000, sealed.length - 17, sealed.length - 1].filter((place) => place >= 0)) {
      const changed = sealed.slice()
      changed[at] = (changed[at] ?? 0) ^ 4
      const released: Uint8Array[] = []
      const work = async () => {
        for await (const piece of decryptStream(pieces(changed, 512), masterKey)) released.push(piece)
      }
      await expect(work(), String(at)).rejects.toSatisfy((error) => CairnError.is(error))
      expect(released, String(at)).toEqual([])
    }
    expect(spools()).toBe(before)
  },
)

test('a file that was cut off, or is none, is told so', async () => {
  const sealed = await join(encryptStream(pieces(new Uint8Array(500), 100), masterKey))
  const open = (bytes: Uint8Array) => join(decryptStream(pieces(bytes, 64), masterKey))
  await expect(open(sealed.subarray(0, -1))).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
  await expect(open(sealed.subarray(0, 40))).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
  await expect(open(new Uint8Array(0))).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
})

test('who stops reading in the middle leaves nothing behind', async () => {
  const before = spools()
  const sealed = await join(encryptStream(pieces(new Uint8Array(3_000_000), 65_536), masterKey))
  for await (const piece of decryptStream(pieces(sealed, 65_536), masterKey)) {
    expect(piece.length).toBeGreaterThan(0)
    break
  }
  expect(spools()).toBe(before)
})
