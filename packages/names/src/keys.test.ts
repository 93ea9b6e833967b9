import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import fc from 'fast-check'
import { base16 } from 'multiformats/bases/base16'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64pad } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { createNameKey, exportNameKey, importNameKey, nameKeyFromSeed, parseName } from './index.ts'

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** `ipfs key export` of Kubo 0.43.0, in its two formats, and the name that Kubo lists for it. */
const kubo = {
  libp2p: 'CAESQD7yFDkZD83qAEXx3zDT2K0bC9Nm11zq1WWtPKp/aL/AjBtCKl/z9P6iHyOV787s+jrSwM8qIw7yW+zEZqENwHM=',
  pem: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEID7yFDkZD83qAEXx3zDT2K0bC9Nm11zq1WWtPKp/aL/A\n-----END PRIVATE KEY-----\n',
  name: 'k51qzi5uqu5djoauoi3dfg9u11fpvo3rbl1195szexedd06fg4i15bjfs3wn77',
}

test('reads a key of Kubo in both formats, and writes it unchanged', async () => {
  for (const format of ['libp2p', 'pem'] as const) {
    const key = await importNameKey(kubo[format])
    expect(key.name).toBe(kubo.name)
    expect(exportNameKey(key, format)).toBe(kubo[format])
  }
  expect((await importNameKey(base64pad.baseDecode(kubo.libp2p))).name).toBe(kubo.name)
  expect((await importNameKey(new TextEncoder().encode(kubo.pem))).name).toBe(kubo.name)
})

test('names and exported keys equal those of libp2p and of Node', async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const key = await nameKeyFromSeed(seed)
      const theirs = privateKeyFromProtobuf(base64pad.baseDecode(exportNameKey(key, 'libp2p')))
      expect(theirs.publicKey.toCID().toString(base36)).toBe(key.name)
      const node = createPublicKey(createPrivateKey(exportNameKey(key, 'pem')))
      expect(node.export({ format: 'jwk' }).x).toBe(Buffer.from(key.publicKey).toString('base64url'))
      for (const format of ['libp2p', 'pem'] as const) {
        expect(await importNameKey(exportNameKey(key, format))).toEqual(key)
      }
    }),
    { numRuns: 50 },
  )
})

test('every new key differs', async () => {
  const names = new Set(await Promise.all(Array.from({ length: 20 }, async () => (await createNameKey()).name)))
  expect(names.size).toBe(20)
})

test.each([
  ['nothing', ''],
  ['text', 'hello'],
  [
    'an RSA key',
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  ],
  ['an X25519 key', generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
  ['a public key', generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  [
    'a key with another public half',
    base64pad.baseEncode(
      Uint8Array.from(base64pad.baseDecode(kubo.libp2p), (byte, at) => (at === 67 ? byte ^ 1 : byte)),
    ),
  ],
  ['very long', 'A'.repeat(100_000)],
])('rejects %s as a key', async (_, text) => {
  await expect(importNameKey(text)).rejects.toMatchObject({ code: 'INVALID_NAME_KEY' })
})

test('the error does not contain the rejected key', async () => {
  const error = await importNameKey(kubo.libp2p.replace('CAES', 'DAES')).catch((thrown: unknown) => thrown)
  expect(CairnError.is(error)).toBe(true)
  expect(JSON.stringify(error) + String(error)).not.toContain('gyFDkZ')
})

test('rejects seeds of another length', async () => {
  for (const length of [0, 31, 33, 64]) {
    await expect(nameKeyFromSeed(new Uint8Array(length))).rejects.toMatchObject({ code: 'INVALID_NAME_KEY' })
  }
})

test('reads a name in every form', async () => {
  const ed25519 = await generateKeyPair('Ed25519')
  const secp256k1 = await generateKeyPair('secp256k1')
  const rsa = await generateKeyPair('RSA', 2048)
  for (const { publicKey } of [ed25519, secp256k1, rsa]) {
    const cid = publicKey.toCID()
    const canonical = cid.toString(base36)
    const forms = [base36, base32, base58btc, base16].map((base) => cid.toString(base))
    for (const form of [...forms, publicKey.toString(), canonical.toUpperCase()]) {
      expect(parseName(form)).toBe(canonical)
      expect(parseName(`/ipns/${form}`)).toBe(canonical)
    }
  }
  expect(privateKeyToProtobuf(ed25519).length).toBe(68)
})

test('rejects a key in a non-canonical encoding as a name', async () => {
  const { publicKey } = await createNameKey()
  const forms = [
    Uint8Array.of(0x08, 0x01, 0x12, 0x20, ...publicKey),
    Uint8Array.of(0x12, 0x20, ...publicKey, 0x08, 0x01),
    Uint8Array.of(0x08, 0x81, 0x00, 0x12, 0x20, ...publicKey),
  ].map((bytes) => CID.createV1(0x72, create(0x00, bytes)).toString(base36))
  expect(parseName(forms[0] ?? '')).toBe(forms[0])
  for (const form of forms.slice(1)) {
    expect(() => parseName(form)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }))
  }
})

test.each([
  ['nothing', ''],
  ['only the namespace', '/ipns/'],
  ['a path behind the name', `/ipns/${kubo.name}/a`],
  ['a CID of content', 'bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am'],
  ['a path to content', '/ipfs/bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am'],
  ['a domain', 'example.org'],
  ['cut short', kubo.name.slice(0, -1)],
  ['lengthened', `${kubo.name}a`],
  ['blanks around', ` ${kubo.name}`],
  ['an inlined text', 'k1q'],
  ['very long', `k${'5'.repeat(10_000)}`],
])('rejects %s as a name', (_, text) => {
  expect(() => parseName(text)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }))
})

test('any text is either a name or rejected with the code', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String().map((text) => `k51${text}`),
      ),
      (text) => {
        try {
          expect(parseName(parseName(text))).toBe(parseName(text))
        } catch (error) {
          expect(CairnError.is(error) && error.code).toBe('INVALID_NAME')
        }
      },
    ),
    { numRuns: 2000 },
  )
})
