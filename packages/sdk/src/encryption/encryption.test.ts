import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { decryptBytesV1, encryptBytesV1, generateKey } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import { decryptStream, decryptUnverified } from './decrypt-stream.ts'
import { encryptedSize, encryptStream } from './encrypt-stream.ts'
import { publishedFiles } from './published-files.fixture.ts'

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
  // A chunk is valid until the next read.
  for await (const piece of stream) all.push(piece.slice())
  return new Uint8Array(Buffer.concat(all))
}
// A folder that no other test uses shows leftovers.
const temporary = mkdtempSync(joinPath(tmpdir(), 'cairn-encryption-'))
vi.stubEnv('TMPDIR', temporary)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
})
const spools = () => readdirSync(temporary)

test.each(['v1', 'v2'] as const)('%s decrypts however it is split, and has the promised size', async (format) => {
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
})

test('decrypts files of the published client and the reverse, streamed and whole', async () => {
  const plain = new Uint8Array(randomBytes(100_000))
  const theirs = new Uint8Array(await published.encryptFile(new Uint8Array(plain).buffer, masterKey))
  expect(await join(decryptStream(pieces(theirs, 4096), masterKey))).toEqual(plain)
  expect(await decryptBytesV1(theirs, masterKey)).toEqual(plain)
  for (const ours of [await join(encryptStream(pieces(plain, 999), masterKey)), await encryptBytesV1(plain, masterKey)])
    expect(new Uint8Array(await published.decryptFile(ours, masterKey))).toEqual(plain)
})

/**
 * Flipping every bit would take a day of key derivation in v1: all of the head, tag and boundary, and samples in
 * between.
 */
const placesOf = (format: 'v1' | 'v2', length: number) =>
  Array.from({ length }, (_byte, i) => i).filter((i) => format === 'v2' || i < 30 || i >= length - 18 || i % 40 === 0)

test.each(['v1', 'v2'] as const)(
  'a changed byte anywhere in %s releases nothing of it, and leaves nothing behind',
  async (format) => {
    const sealed = await join(encryptStream([new Uint8Array(randomBytes(300))], masterKey, { format }))
    await mapSome(placesOf(format, sealed.length), async (at) => {
      const changed = sealed.slice()
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      const released: Uint8Array[] = []
      const work = async () => {
        for await (const piece of decryptStream(pieces(changed, 512), masterKey)) released.push(piece)
      }
      await expect(work(), String(at)).rejects.toSatisfy((error) => CairnError.is(error))
      expect(released, String(at)).toEqual([])
    })
    expect(spools()).toEqual([])
  },
)

/** Four concurrently: key derivation runs in its own threads. */
async function mapSome(places: readonly number[], work: (at: number) => Promise<void>): Promise<void> {
  const rest = [...places]
  const lane = async () => {
    for (let at = rest.shift(); at !== undefined; at = rest.shift()) await work(at)
  }
  await Promise.all([lane(), lane(), lane(), lane()])
}

test.each(['v1', 'v2'] as const)(
  'closes the source of %s on failure, on an early end and before a first piece, and only then',
  async (format) => {
    const sealed = await join(encryptStream([new Uint8Array(200_000)], masterKey, { format, chunkBytes: 4096 }))
    const watch = (bytes: Uint8Array) => {
      const seen = { closed: 0 }
      let at = 0
      const source: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            if (at >= bytes.length) return { done: true, value: undefined }
            at += 1000
            return { done: false, value: bytes.subarray(at - 1000, at) }
          },
          return: async () => {
            seen.closed++
            return { done: true, value: undefined }
          },
        }),
      }
      return { seen, source }
    }
    const readFirst = async (stream: AsyncIterable<Uint8Array>) => {
      for await (const _piece of stream) break
    }
    const plain = new Uint8Array(200_000)
    const uses: [string, Uint8Array, (source: AsyncIterable<Uint8Array>) => Promise<unknown>, number][] = [
      ['encrypt, early end', plain, (source) => readFirst(encryptStream(source, masterKey, { format })), 1],
      ['encrypt, wrong key', plain, (source) => join(encryptStream(source, 'no key', { format })), 1],
      ['encrypt, whole', plain, (source) => join(encryptStream(source, masterKey, { format })), 0],
      ['decrypt, wrong key', sealed, (source) => join(decryptStream(source, 'f'.repeat(64))), format === 'v1' ? 0 : 1],
      ['decrypt, no key', sealed, (source) => join(decryptStream(source, 'no key')), 1],
      ['decrypt, not encrypted', plain.subarray(0, 10), (source) => join(decryptStream(source, masterKey)), 0],
      ['unverified, early end', sealed, (source) => readFirst(decryptUnverified(source, masterKey)), 1],
      ['decrypt, whole', sealed, (source) => join(decryptStream(source, masterKey)), 0],
    ]
    for (const [name, bytes, use, closed] of uses) {
      const { seen, source } = watch(bytes)
      await use(source).catch((error: unknown) => expect(CairnError.is(error), name).toBe(true))
      expect(seen.closed, name).toBe(closed)
    }
  },
)

test('both formats reject an invalid key, in both directions', async () => {
  const sealed = [
    await join(encryptStream([new Uint8Array(9)], masterKey)),
    await join(encryptStream([new Uint8Array(9)], masterKey, { format: 'v2' })),
  ]
  for (const key of ['', '0'.repeat(64), 'z'.repeat(64), `${masterKey}0`]) {
    for (const format of ['v1', 'v2'] as const)
      await expect(join(encryptStream([], key, { format }))).rejects.toMatchObject({ code: 'KEY_NOT_SHARDABLE' })
    for (const bytes of sealed)
      await expect(join(decryptStream([bytes], key))).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
  }
})

test('decrypts files of earlier published clients', async () => {
  for (const { client, key, plain, sealed } of publishedFiles) {
    const opened = await join(decryptStream([Buffer.from(sealed, 'base64')], key))
    expect(Buffer.from(opened).toString('utf8'), client).toBe(plain)
    expect(Buffer.from(await decryptBytesV1(Buffer.from(sealed, 'base64'), key)).toString('utf8')).toBe(plain)
  }
})

test('rejects a truncated file and another file', async () => {
  const sealed = await join(encryptStream(pieces(new Uint8Array(500), 100), masterKey))
  const open = (bytes: Uint8Array) => join(decryptStream(pieces(bytes, 64), masterKey))
  await expect(open(sealed.subarray(0, -1))).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
  await expect(open(sealed.subarray(0, 40))).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
  await expect(open(new Uint8Array(0))).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
})

test('a reader that stops early leaves nothing behind', async () => {
  const sealed = await join(encryptStream(pieces(new Uint8Array(3_000_000), 65_536), masterKey))
  for await (const piece of decryptStream(pieces(sealed, 65_536), masterKey)) {
    expect(piece.length).toBeGreaterThan(0)
    break
  }
  expect(spools()).toEqual([])
})
