import { ed25519 } from '@noble/curves/ed25519.js'
import { base58btc } from 'multiformats/bases/base58'
import {
  type Hex,
  parseSignature,
  serializeCompactSignature,
  serializeSignature,
  signatureToCompactSignature,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

let storage: TestStorage
beforeAll(async () => {
  storage = await startTestStorage({ CAIRN_RATE_FACTOR: '0' })
})
afterAll(() => storage[Symbol.asyncDispose]())

const newAccount = () => privateKeyToAccount(generatePrivateKey())
const create = (publicKey: string, signedMessage: string, wish: Record<string, unknown> = {}) =>
  storage.call('/api/auth/create_api_key', jsonBody({ publicKey, signedMessage, ...wish }))
const codeOf = (answer: { headers: Headers }) => answer.headers.get('x-cairn-code')
const usage = (key: string) => storage.call('/api/user/user_data_usage', bearer(key))

describe('a message to sign', () => {
  test('begins as published, and says what for, where, for whom, until when and which one', async () => {
    const { address } = newAccount()
    const message = await storage.getMessage(address)
    expect(message).toMatch(/^Please prove you are the owner/)
    for (const line of ['Purpose: ', 'Domain: ', 'Nonce: ', 'Issued At: ', 'Expiration Time: ']) {
      expect(message).toContain(`\n${line}`)
    }
    expect(message).toContain(address.toLowerCase())
    expect(await storage.getMessage(address)).not.toBe(message)
    const other = await storage.call(`/api/auth/get_auth_message?publicKey=${address}`)
    expect(other.json).toMatch(/^Please prove you are the owner/)
  })
})

describe('an API key is made', () => {
  test('for a signature of an EVM wallet, in any case of its address', async () => {
    const account = newAccount()
    const signature = await account.signMessage({ message: await storage.getMessage(account.address) })
    const answer = await create(account.address.toLowerCase(), signature)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatch(/^cairn_[0-9a-z]{8}_[0-9a-f]{72}$/)
  })

  test('for the compact form of a signature (EIP-2098)', async () => {
    const account = newAccount()
    const signature = await account.signMessage({ message: await storage.getMessage(account.address) })
    const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)))
    expect((await create(account.address, compact)).status).toBe(200)
  })

  test.each(['base58', 'base64', 'hex'] as const)('for a signature of a Solana wallet in %s', async (form) => {
    const secret = ed25519.utils.randomSecretKey()
    const address = base58btc.baseEncode(ed25519.getPublicKey(secret))
    const message = await storage.getMessage(address)
    const bytes = ed25519.sign(new TextEncoder().encode(message), secret)
    const text = form === 'base58' ? base58btc.baseEncode(bytes) : Buffer.from(bytes).toString(form)
    const answer = await create(address, text)
    expect(answer.status, answer.body).toBe(200)
    expect(String(answer.json)).toMatch(/^cairn_/)
  })

  test('for any of several open messages, not only the last', async () => {
    const account = newAccount()
    const first = await storage.getMessage(account.address)
    await storage.getMessage(account.address)
    expect((await create(account.address, await account.signMessage({ message: first }))).status).toBe(200)
  })
})

describe('an API key is refused', () => {
  test('for a signature of another wallet, another text, none at all, and garbage', async () => {
    const account = newAccount()
    const message = await storage.getMessage(account.address)
    const wrong = [
      await newAccount().signMessage({ message }),
      await account.signMessage({ message: `${message} ` }),
      `0x${'0'.repeat(130)}`,
      `0x${'f'.repeat(130)}`,
      'not hex',
    ]
    for (const signature of wrong) {
      const answer = await create(account.address, signature)
      expect([answer.status, codeOf(answer)], signature).toEqual([401, 'INVALID_SIGNATURE'])
      expect(answer.json).toMatchObject({ error: { message: 'Invalid Signature' } })
    }
    expect((await create(account.address, await account.signMessage({ message }))).status).toBe(200)
  })

  test('for the malleable twin of a right signature', async () => {
    const account = newAccount()
    const signature = parseSignature(await account.signMessage({ message: await storage.getMessage(account.address) }))
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const twin = serializeSignature({
      r: signature.r,
      s: `0x${(order - BigInt(signature.s)).toString(16).padStart(64, '0')}`,
      yParity: signature.yParity === 0 ? 1 : 0,
    })
    expect(codeOf(await create(account.address, twin))).toBe('INVALID_SIGNATURE')
  })

  test('for a message that was used, also by many requests at once', async () => {
    const account = newAccount()
    const signature = await account.signMessage({ message: await storage.getMessage(account.address) })
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(account.address, signature)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(codeOf))).toEqual(new Set(['CHALLENGE_EXPIRED']))
  })

  test('for a message whose five minutes are over', async () => {
    await using own = await startTestStorage()
    const account = newAccount()
    const signature = await account.signMessage({ message: await own.getMessage(account.address) })
    own.pass(5 * 60_000 + 1)
    const answer = await own.call(
      '/api/auth/create_api_key',
      jsonBody({ publicKey: account.address, signedMessage: signature }),
    )
    expect([answer.status, codeOf(answer)]).toEqual([401, 'CHALLENGE_EXPIRED'])
  })

  test('for a message driven out by sixteen newer ones', async () => {
    const account = newAccount()
    const message = await storage.getMessage(account.address)
    for (let i = 0; i < 16; i++) await storage.getMessage(account.address)
    const answer = await create(account.address, await account.signMessage({ message }))
    expect(codeOf(answer)).toBe('INVALID_SIGNATURE')
  })

  test('for the signature of a contract, where no chain is configured', async () => {
    const { address } = newAccount()
    await storage.getMessage(address)
    const signature: Hex = `0x${'ab'.repeat(200)}`
    expect(codeOf(await create(address, signature))).toBe('CHAIN_NOT_CONFIGURED')
  })

  test.each([
    ['a line break', 'laptop\nADMIN'],
    ['an escape', 'a\u001b[2J'],
    ['a control of ISO 8859', 'a\u009bb'],
    ['another line break', 'a\u2028b'],
    ['a change of direction', 'a\u202efdp.exe'],
    ['a mark of direction', 'a\u200fb'],
    ['half a letter', 'a\ud800'],
  ])('for a name with %s, before the message is spent', async (_what, keyName) => {
    const account = newAccount()
    const signature = await account.signMessage({ message: await storage.getMessage(account.address) })
    const answer = await create(account.address, signature, { keyName })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_LABEL'])
    expect(answer.json).toMatchObject({ error: { details: { issues: [{ field: 'body.keyName' }] } } })
    expect((await create(account.address, signature, { keyName: ' Käse 石 👩‍👧 ' })).status).toBe(200)
  })

  test('when it would have ended already', async () => {
    const account = newAccount()
    const signature = await account.signMessage({ message: await storage.getMessage(account.address) })
    const answer = await create(account.address, signature, { expiresAt: 1000 })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('a key', () => {
  test('opens the account of its wallet', async () => {
    const answer = await usage(await storage.createKey())
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ dataLimit: 5 * 2 ** 30, dataUsed: 0 })
  })

  test('that is missing, mistyped or made up does not', async () => {
    const key = await storage.createKey()
    const other = await storage.createKey()
    const mixed = `${key.slice(0, 15)}${other.slice(15)}`
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    for (const wrong of ['', 'x', mixed, mistyped]) {
      const answer = await usage(wrong)
      expect([answer.status, codeOf(answer)]).toEqual([401, 'UNAUTHENTICATED'])
      expect(answer.body).toContain('Authentication failed')
    }
    expect((await storage.call('/api/user/user_data_usage')).status).toBe(401)
  })

  test('does only what its scopes say', async () => {
    const key = await storage.createKey(newAccount(), { scopes: ['files:read'] })
    expect((await usage(key)).status).toBe(200)
    const answer = await storage.call('/api/auth/api_keys', bearer(key))
    expect([answer.status, codeOf(answer)]).toEqual([403, 'FORBIDDEN'])
    expect(answer.json).toMatchObject({ error: { details: { scope: 'account' } } })
  })

  test('ends at its time', async () => {
    await using own = await startTestStorage()
    const key = await own.createKey(newAccount(), { expiresAt: Date.now() + 3_600_000 })
    const ask = () => own.call('/api/user/user_data_usage', bearer(key))
    expect((await ask()).status).toBe(200)
    own.pass(3_600_001)
    expect(codeOf(await ask())).toBe('API_KEY_EXPIRED')
  })

  test('is listed without its secret, with its name and last use, and gone once revoked', async () => {
    const account = newAccount()
    const first = await storage.createKey(account, { keyName: 'laptop' })
    const second = await storage.createKey(account)
    const list = async () => (await storage.call('/api/auth/api_keys', bearer(second))).json
    expect(await list()).toMatchObject({
      keys: expect.arrayContaining([
        expect.objectContaining({ name: 'laptop' }),
        expect.objectContaining({ name: 'default' }),
      ]),
    })
    expect(JSON.stringify(await list())).not.toContain(first.slice(15, 40))
    const revoke = (id: string, key = second) =>
      storage.call(`/api/auth/api_keys/${id}`, { method: 'DELETE', ...bearer(key) })
    const id = first.split('_')[1] ?? ''
    const stranger = await storage.createKey()
    expect((await revoke(id, stranger)).status).toBe(404)
    expect((await usage(first)).status).toBe(200)
    expect((await revoke(id)).status).toBe(200)
    expect(codeOf(await usage(first))).toBe('API_KEY_REVOKED')
    expect((await revoke(id)).status).toBe(200)
    expect(await list()).toMatchObject({ keys: [{ name: 'default' }] })
  })

  test('is kept as a hash only', async () => {
    const key = await storage.createKey()
    const row = await storage.context.db.read
      .selectFrom('api_key')
      .selectAll()
      .where('id', '=', key.split('_')[1] ?? '')
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(key.slice(15, 79))
    expect(row.secret_hash).toHaveLength(32)
  })
})
