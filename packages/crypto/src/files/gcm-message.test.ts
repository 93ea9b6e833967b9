import { createCipheriv, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openGcm } from './gcm-message.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const hex = (given: Uint8Array) => Buffer.from(given).toString('hex')

/** A message in chunks of the given size; both directions and the tag. */
async function seal(key: Uint8Array<ArrayBuffer>, iv: Uint8Array<ArrayBuffer>, plain: Uint8Array, cut: number) {
  const message = await openGcm(key, iv)
  const sealed: Uint8Array[] = []
  for (let at = 0; at < plain.length; at += cut) {
    const piece = await message.crypt(new Uint8Array(plain.subarray(at, at + cut)), at)
    const absorbing = message.absorb(piece)
    sealed.push(piece.slice())
    // Like a worker that passes the chunk on at once.
    piece.buffer.transfer()
    await absorbing
  }
  return { sealed: new Uint8Array(Buffer.concat(sealed)), tag: await message.tag() }
}

// Cases 13 to 15 of https://csrc.nist.rip/groups/ST/toolkit/BCM/documents/proposedmodes/gcm/gcm-spec.pdf
const zeros = '00'.repeat(32)
const feff = 'feffe9928665731c6d6a8f9467308308'.repeat(2)
const longPlain =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255'
const longSealed =
  '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad'
test.each([
  [13, zeros, '00'.repeat(12), '', '', '530f8afbc74536b9a963b4f1c4cb738b'],
  [14, zeros, '00'.repeat(12), '00'.repeat(16), 'cea7403d4d606b6e074ec5d3baf39d18', 'd0d1c8a799996bf0265b98b5d48ab919'],
  [15, feff, 'cafebabefacedbaddecaf888', longPlain, longSealed, 'b094dac5d93471bdec1a502270e3cc6c'],
])(
  'passes test case %i of the GCM specification, however the input is split',
  async (_number, key, iv, plain, sealed, tag) => {
    for (const cut of [16, 32, 48, 64, 1024]) {
      const got = await seal(bytes(key), bytes(iv), bytes(plain), cut)
      expect({ sealed: hex(got.sealed), tag: hex(got.tag) }, String(cut)).toEqual({ sealed, tag })
    }
  },
)

test('equals OpenSSL for any message in any pieces of whole blocks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20_000), fc.integer({ min: 1, max: 400 }), async (length, blocks) => {
      const [key, iv, plain] = [32, 12, length].map((size) => new Uint8Array(randomBytes(size)))
      if (key === undefined || iv === undefined || plain === undefined) throw new Error('unreachable')
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
      const got = await seal(key, iv, plain, 16 * blocks)
      expect(hex(got.sealed)).toBe(hex(sealed))
      expect(hex(got.tag)).toBe(hex(cipher.getAuthTag()))
    }),
    { numRuns: 150 },
  )
})

test('counters reach the last block of the longest message', async () => {
  const [key, iv] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(12))]
  const lastBlock = 2 ** 32 - 3
  const counter = Buffer.concat([iv, Buffer.from('ffffffff', 'hex')])
  const stream = createCipheriv('aes-256-ctr', key, counter).update(Buffer.alloc(16))
  const message = await openGcm(key, iv)
  expect(hex(await message.crypt(new Uint8Array(16), 16 * lastBlock))).toBe(hex(stream))
})
