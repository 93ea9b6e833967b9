import { latestTimeMs, zeroAddress } from '@cairn/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58 } from '@scure/base'
import fc from 'fast-check'
import { recoverMessageAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { checksumAddress } from '../wallets/wallet.ts'
import { parseChallenge, writeChallenge } from './challenge.ts'
import {
  createHeldSessionKey,
  createSessionKey,
  parseDidKey,
  proveRequest,
  signRequest,
  verifyRequest,
} from './session-key.ts'
import { parseSignIn, writeSignIn } from './sign-in.ts'
import { coreumAddress, signCoreum } from './verify-coreum.ts'
import { verifyWalletSignature } from './verify-signature.ts'
import { nameSignature, signSolana, solanaAddress } from './verify-solana.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)
const hexPattern = (bytes: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))

/** The malleable twin of a signature: n − s, and the other v. */
function twinOf(signature: string): `0x${string}` {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const twin = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0')
  return `0x${signature.slice(2, 66)}${twin}${signature.endsWith('1b') ? '1c' : '1b'}`
}

function compactOf(signature: string): `0x${string}` {
  const s = BigInt(`0x${signature.slice(66, 130)}`) | (signature.endsWith('1c') ? 1n << 255n : 0n)
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}`
}

describe('EVM', () => {
  test('agrees with another implementation on random texts and keys', async () => {
    for (let turn = 0; turn < 50; turn++) {
      const account = privateKeyToAccount(generatePrivateKey())
      const message = `${turn} ü € ${'x'.repeat(turn * 7)}`
      const signature = await account.signMessage({ message })
      const address = account.address.toLowerCase()
      expect(await recoverMessageAddress({ message, signature })).toBe(account.address)
      expect(verifyWalletSignature(address, message, signature)).toBe('valid')
      expect(verifyWalletSignature(address, `${message}.`, signature)).toBe('needs-chain')
    }
  })

  test('accepts each genuine form of a signature but not its malleable twin', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const address = account.address.toLowerCase()
    const signature = await account.signMessage({ message: 'text' })
    const v = signature.endsWith('1c') ? '01' : '00'
    const upper = `0x${signature.slice(2).toUpperCase()}`
    for (const form of [signature, upper, signature.slice(0, 130) + v, compactOf(signature)]) {
      expect(verifyWalletSignature(address, 'text', form), form).toBe('valid')
    }
    expect(nameSignature(upper)).toBe(nameSignature(signature))
    expect(nameSignature(signature.slice(0, 130) + v)).toBe(nameSignature(signature))
    const twin = twinOf(signature)
    expect(await recoverMessageAddress({ message: 'text', signature: twin })).toBe(account.address)
    expect(verifyWalletSignature(address, 'text', twin)).toBe('invalid')
  })

  test('reads the examples of EIP-2098', () => {
    const key = '0x1234567890123456789012345678901234567890123456789012345678901234'
    const { address } = privateKeyToAccount(key)
    const short =
      '0x68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b907e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064'
    expect(verifyWalletSignature(address.toLowerCase(), 'Hello World', short)).toBe('valid')
    const odd =
      '0x9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793'
    expect(verifyWalletSignature(address.toLowerCase(), "It's a small(er) world", odd)).toBe('valid')
  })

  test('rejects any input that is not a signature', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), hexPattern(64), hexPattern(65), hexPattern(70)), (signature) => {
        for (const text of [signature, `0x${signature}`])
          expect(verifyWalletSignature(`0x${'1'.repeat(40)}`, 'm', text)).not.toBe('valid')
      }),
      { numRuns: 500 * fuzz },
    )
    expect(verifyWalletSignature(zeroAddress, 'm', `0x${'0'.repeat(130)}`)).toBe('invalid')
    // Of any other address, a chain is asked about it.
    expect(verifyWalletSignature(address, 'm', `0x${'0'.repeat(200)}`)).toBe('needs-chain')
    expect(verifyWalletSignature(zeroAddress, 'm', `0x${'0'.repeat(200)}`)).toBe('invalid')
  })
})

describe('Solana', () => {
  const secret = '7'.repeat(64)
  const address = solanaAddress(secret)

  test('accepts the signature of the key over this text in each encoding, nothing else', () => {
    const signature = signSolana(secret, 'text')
    const hex = nameSignature(signature)
    const base64 = Buffer.from(hex, 'hex').toString('base64')
    for (const form of [signature, hex, `0x${hex}`, base64]) {
      expect(verifyWalletSignature(address, 'text', form)).toBe('valid')
      expect(nameSignature(form)).toBe(hex)
    }
    expect(verifyWalletSignature(address, 'text ', signature)).toBe('invalid')
    expect(verifyWalletSignature(solanaAddress('8'.repeat(64)), 'text', signature)).toBe('invalid')
    expect(verifyWalletSignature(address, 'text', '0'.repeat(128))).toBe('invalid')
  })

  test('rejects an address of small order, whose signature would fit any text', () => {
    const identity = Uint8Array.of(1, ...new Uint8Array(31))
    const signature = Buffer.from([...identity, ...new Uint8Array(32)]).toString('hex')
    expect(ed25519.verify(Buffer.from(signature, 'hex'), Buffer.from('text'), identity)).toBe(true)
    expect(verifyWalletSignature(base58.encode(identity), 'text', signature)).toBe('invalid')
  })

  test('rejects a text that could be a transaction', () => {
    const message = '\u0001\u0000\u0001text'
    expect(verifyWalletSignature(address, message, signSolana(secret, message))).toBe('invalid')
  })
})

describe('Coreum', () => {
  const key = '4'.repeat(64)

  test.each(['core', 'testcore', 'devcore'])('accepts an account of %s for its own text alone', (prefix) => {
    const address = coreumAddress(key, prefix)
    expect(address).toMatch(new RegExp(`^${prefix}1`))
    const signature = signCoreum(key, prefix, 'text')
    expect(verifyWalletSignature(address, 'text', signature)).toBe('valid')
    expect(verifyWalletSignature(address, 'other', signature)).toBe('invalid')
    expect(verifyWalletSignature(coreumAddress('5'.repeat(64), prefix), 'text', signature)).toBe('invalid')
    const bytes = Buffer.from(signature, 'base64')
    const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const twin = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
    expect(verifyWalletSignature(address, 'text', twin.toString('base64'))).toBe('invalid')
  })

  test('an account of one network does not sign for another', () => {
    const signature = signCoreum(key, 'core', 'text')
    expect(verifyWalletSignature(coreumAddress(key, 'testcore'), 'text', signature)).toBe('invalid')
  })
})

const address = privateKeyToAccount(`0x${'1'.repeat(64)}`).address.toLowerCase()
const id = '0b0e7f3c-8d4e-4b8e-9a55-2f3f4c5d6e7f'
const fields = fc.record({
  id: fc.uuid(),
  domain: fc.constantFrom('localhost:9000', 'keys.example.org', '[::1]:9000'),
  address: fc.constantFrom(address, solanaAddress('7'.repeat(64)), coreumAddress('4'.repeat(64), 'core')),
  network: fc.constantFrom('local', 'main net', 'Größe/ß-€'),
  issuedAt: fc.integer({ min: 0, max: 4e12 }),
  expiresAt: fc.integer({ min: 0, max: 4e12 }),
  nonces: fc.array(fc.option(hexPattern(16), { nil: undefined }), { minLength: 5, maxLength: 5 }),
})
const grants = fc.record({
  scopes: fc.subarray(['files:read', 'files:write', 'account'], { minLength: 1 }),
  expiresAt: fc.option(fc.integer({ min: 0, max: latestTimeMs })),
})

describe('messages to sign', () => {
  test('reads each message back as it was written', () => {
    const sessionKey = createSessionKey().publicKey
    fc.assert(
      fc.property(fields, grants, (challenge, apiKey) => {
        expect(parseChallenge(writeChallenge(challenge))).toEqual(challenge)
        const [storageNonce, ...nonces] = [challenge.nonces[1], ...challenge.nonces].map((nonce) =>
          nonce === '0'.repeat(32) ? undefined : nonce,
        )
        const signIn = { ...challenge, nonces, sessionKey, storageNonce }
        expect(parseSignIn(writeSignIn(signIn))).toEqual(signIn)
        const granted = { ...signIn, storageNonce: 'a'.repeat(32), apiKey }
        expect(parseSignIn(writeSignIn(granted))).toEqual(granted)
      }),
      { numRuns: 300 },
    )
  })

  test('a message for the key nodes has one form only', () => {
    const nonces = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32))
    const challenge = {
      id,
      domain: 'd',
      address,
      network: 'n',
      issuedAt: 0,
      expiresAt: 1,
      nonces: [...nonces, undefined],
    }
    const text = writeChallenge(challenge)
    expect(parseChallenge(text)).toEqual(challenge)
    for (const [from, to] of [
      [`Address: ${checksumAddress(address)}`, `Address: ${address}`],
      ['Nodes: 1,2,3,4,-', 'Nodes: 1,2,3,4,5'],
      ['1970-01-01T00:00:00.000Z', '1969-12-31T24:00:00.000Z'],
    ] as const) {
      expect(text).toContain(from)
      expect(parseChallenge(text.replace(from, to)), to).toBeUndefined()
    }
  })

  test('starts as published clients expect', () => {
    const text = writeChallenge({
      id,
      domain: 'd',
      address,
      network: 'n',
      issuedAt: 0,
      expiresAt: 1,
      nonces: [undefined, undefined, undefined, undefined, undefined],
    })
    expect(text).toMatch(/^Please sign this message to prove you are owner of this account: [0-9a-f-]{36}\n/)
  })

  test('a sign-in names only the parties that issued a nonce', () => {
    const [given, none] = ['a'.repeat(32), undefined]
    const write = (storageNonce: string | undefined, nonces: (string | undefined)[]) => {
      const sessionKey = createSessionKey().publicKey
      const signIn = { id, domain: 'd', address, network: 'n m', issuedAt: 0, expiresAt: 1, nonces, sessionKey }
      return writeSignIn({ ...signIn, storageNonce })
    }
    const resources = (text: string) => text.split('Resources:')[1]
    expect(resources(write(given, [given, none, none, given, none]))).toBe(
      '\n- cairn:n%20m/storage/api-key\n- cairn:n%20m/key-nodes/1/session\n- cairn:n%20m/key-nodes/4/session',
    )
    const ofStorage = write(given, [none, none, none, none, none])
    expect(resources(ofStorage)).toBe('\n- cairn:n%20m/storage/api-key')
    expect(parseSignIn(ofStorage)?.nonces).toEqual([none, none, none, none, none])
    // An extra or missing line invalidates the text.
    expect(parseSignIn(`${ofStorage}\n- cairn:n%20m/key-nodes/1/session`)).toBeUndefined()
    expect(parseSignIn(ofStorage.replace(/\n- .*$/, ''))).toBeUndefined()
  })

  test('a sign-in states the rights and the expiry of the API key', () => {
    const sessionKey = createSessionKey().publicKey
    const nonces = [undefined, undefined, undefined, undefined, undefined]
    const signIn = { id, domain: 'd', address, network: 'n', issuedAt: 0, expiresAt: 1, nonces, sessionKey }
    const write = (expiresAt: number | null) =>
      writeSignIn({
        ...signIn,
        storageNonce: 'a'.repeat(32),
        apiKey: { scopes: ['files:read', 'account'], expiresAt },
      })
    const line = (text: string) => text.split('Resources:\n')[1]
    expect(line(write(null))).toBe('- cairn:n/storage/api-key?scopes=files:read,account&expires=never')
    expect(line(write(0))).toBe('- cairn:n/storage/api-key?scopes=files:read,account&expires=1970-01-01T00:00:00.000Z')
    for (const [from, to] of [
      ['expires=never', 'expires=2026-02-30T00:00:00.000Z'],
      ['expires=never', 'expires=99999-01-01T00:00:00.00Z'],
      ['expires=never', 'expires=0'],
      ['&expires=never', ''],
      ['scopes=files:read,account', 'scopes='],
      ['scopes=files:read,account&', ''],
      ['storage/api-key', 'storage/other'],
    ] as const)
      expect(parseSignIn(write(null).replace(from, to)), to).toBeUndefined()
  })

  test('a changed text is another message or none', () => {
    const sessionKey = createSessionKey().publicKey
    const change = fc.record({ at: fc.nat(900), to: fc.oneof(fc.string({ maxLength: 3 }), fc.constant('\n')) })
    fc.assert(
      fc.property(fields, grants, change, ({ ...challenge }, apiKey, { at, to }) => {
        for (const [text, parse, write] of [
          [writeChallenge(challenge), parseChallenge, writeChallenge],
          [writeSignIn({ ...challenge, sessionKey }), parseSignIn, writeSignIn],
          [writeSignIn({ ...challenge, sessionKey, storageNonce: 'a'.repeat(32), apiKey }), parseSignIn, writeSignIn],
        ] as const) {
          const changed = text.slice(0, at) + to + text.slice(at + 1)
          const read = parse(changed)
          // The parsed value is complete: formatting it again gives the same text.
          if (read !== undefined) expect(write({ sessionKey, ...read })).toBe(changed)
        }
      }),
      { numRuns: 500 * fuzz },
    )
    for (const text of [
      '',
      'x'.repeat(5000),
      writeChallenge({ id, domain: 'd', address, network: 'n', issuedAt: 0, expiresAt: 1, nonces: [] }),
    ]) {
      expect(parseChallenge(text)).toBeUndefined()
      expect(parseSignIn(text)).toBeUndefined()
    }
  })
})

describe('session keys', () => {
  const key = createSessionKey()
  const request = { method: 'POST', path: '/api/retrieveSharedKey/2?x=1', node: 2, body: '{"a":1}', token: 'token' }
  const proof = signRequest(request, key.secretKey, 1234)

  test('a proof is valid only for its request and key', () => {
    expect(verifyRequest(proof, request, key.publicKey)).toMatchObject({ timeMs: 1234 })
    expect(signRequest(request, key.secretKey, 1234)).not.toBe(proof)
    for (const other of [{ method: 'PUT' }, { path: '/api' }, { node: 3 }, { body: '{}' }, { token: 'tokem' }]) {
      expect(verifyRequest(proof, { ...request, ...other }, key.publicKey)).toBeUndefined()
    }
    expect(verifyRequest(proof, request, createSessionKey().publicKey)).toBeUndefined()
    const fields: object = JSON.parse(Buffer.from(proof, 'base64url').toString())
    const padded = (bytes: number) =>
      Buffer.from(JSON.stringify({ ...fields, x: 'x'.repeat(bytes) })).toString('base64url')
    expect(verifyRequest(padded(10), request, key.publicKey)).toBeDefined()
    expect(verifyRequest(padded(1000), request, key.publicKey)).toBeUndefined()
  })

  test('a platform key signs like one of ours, and cannot be read', async () => {
    const held = await createHeldSessionKey()
    const given = await proveRequest(request, held, 1234)
    expect(verifyRequest(given, request, held.publicKey)).toMatchObject({ timeMs: 1234 })
    expect(verifyRequest(given, { ...request, node: 3 }, held.publicKey)).toBeUndefined()
    expect(verifyRequest(await proveRequest(request, key, 1234), request, key.publicKey)).toMatchObject({
      timeMs: 1234,
    })
    await expect(crypto.subtle.exportKey('pkcs8', held.privateKey)).rejects.toThrow()
    expect(JSON.stringify(held)).toBe(JSON.stringify({ publicKey: held.publicKey, privateKey: {} }))
  })

  test('rejects garbage as proof and as key', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(verifyRequest(text, request, key.publicKey)).toBeUndefined()
        expect(verifyRequest(proof, request, `did:key:z${text}`)).toBeUndefined()
      }),
      { numRuns: 500 * fuzz },
    )
    expect(parseDidKey(key.publicKey)).toHaveLength(32)
    expect(parseDidKey('did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme')).toBeUndefined()
  })
})
