// The platform's Ed25519 against RFC 8032 and against the code that clients use.
import { createSessionKey, signRequest, verifyRequest } from '@cairn/crypto'
import { expect, test } from 'vitest'
import { exportPublicKey, importKeyPair, verifyEd25519 } from './ed25519.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

test('agrees with test 2 of RFC 8032, section 7.1', () => {
  const seed = hex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb')
  const publicKey = hex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
  const signature = hex(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )
  expect(exportPublicKey(importKeyPair(seed).publicKey)).toEqual(publicKey)
  expect(verifyEd25519(signature, hex('72'), publicKey)).toBe(true)
  expect(verifyEd25519(signature, hex('73'), publicKey)).toBe(false)
})

test('accepts and rejects the same proofs as the code of clients', () => {
  const key = createSessionKey()
  const request = { method: 'POST', path: '/api/x', node: 1, body: '{}', token: 'a.b.c' }
  const proof = signRequest(request, key.secretKey, 1234)
  const both = (header: string, of: typeof request, by: string) => [
    verifyRequest(header, of, by),
    verifyRequest(header, of, by, verifyEd25519),
  ]
  const [known] = both(proof, request, key.publicKey)
  expect(known).toMatchObject({ timeMs: 1234 })
  expect(both(proof, request, key.publicKey)).toEqual([known, known])
  expect(both(proof, { ...request, body: '{ }' }, key.publicKey)).toEqual([undefined, undefined])
  expect(both(proof, request, createSessionKey().publicKey)).toEqual([undefined, undefined])
  const parsed: { s: string } = JSON.parse(Buffer.from(proof, 'base64url').toString())
  const high = Buffer.from(parsed.s, 'base64url')
  // S at or above the order of the group would be a second signature of the same request.
  high.fill(0xff, 32)
  const changed = Buffer.from(JSON.stringify({ ...parsed, s: high.toString('base64url') })).toString('base64url')
  expect(both(changed, request, key.publicKey)).toEqual([undefined, undefined])
  // All zeros, and a value that is not a point of the curve.
  for (const bytes of [new Uint8Array(32), new Uint8Array(32).fill(0xff)])
    expect(() => verifyEd25519(high, hex('72'), bytes) === false || bytes.length === 0).not.toThrow()
})
