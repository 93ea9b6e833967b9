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
import { bearer, errorCodeOf, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

let storage: TestStorage
beforeAll(async () => {
  storage = await startTestStorage({ CAIRN_RATE_FACTOR: '0' })
})
afterAll(() => storage[Symbol.asyncDispose]())

const newAccount = () => privateKeyToAccount(generatePrivateKey())
const create = (publicKey: string, signedMessage: string, params: Record<string, unknown> = {}) =>
  storage.call('/api/auth/create_api_key', jsonBody({ publicKey, signedMessage, ...params }))
const usage = (key: string) => storage.call('/api/user/user_data_usage', bearer(key))

describe('a message to sign', () => {
  test('starts in the published form, and states purpose, place, account, expiry and nonce', async () => {
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

describe('an API key is created', () => {
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

describe('an API key is rejected', () => {
  test('for a signature of another wallet or text, an empty one, and garbage', async () => {
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
      expect([answer.status, errorCodeOf(answer)], signature).toEqual([401, 'INVALID_SIGNATURE'])
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
    expect(errorCodeOf(await create(account.address, twin))).toBe('INVALID_SIGNATURE')
  })

  test('for a used message, also in many concurrent requests', async () => {
    const account = newAccount()
    const signature = await account.signMessage({ message: await storage.getMessage(account.address) })
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(account.address, signature)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(errorCodeOf))).toEqual(
      new Set(['CHALLENGE_EXPIRED']),
    )
  })

  test('for a message older than five minutes', async () => {
    await using own = await startTestStorage()
    const account = newAccount()
    const signature = await account.signMessage({ message: await own.getMessage(account.address) })
    own.pass(5 * 60_000 + 1)
    const answer = await own.call(
      '/api/auth/create_api_key',
      jsonBody({ publicKey: account.address, signedMessage: signature }),
    )
    expect([answer.status, errorCodeOf(answer)]).toEqual([401, 'CHALLENGE_EXPIRED'])
  })

  test('not for a message when a stranger requests newer ones', async () => {
    await using own = await startTestStorage({ CAIRN_TRUSTED_PROXIES: '127.0.0.1' })
    const account = newAccount()
    const ask = async (ip: string) => {
      const { json } = await own.call(`/api/auth/get_message?publicKey=${account.address}`, {
        headers: { 'x-forwarded-for': ip },
      })
      return String(json)
    }
    const message = await ask('198.51.100.1')
    for (let i = 0; i < 40; i++) await ask('198.51.100.2')
    // From two networks of one stranger, more often than from the owner.
    for (let i = 0; i < 40; i++) await ask(`2001:db8:0:${i % 2}::${i}`)
    const answer = await own.call(
      '/api/auth/create_api_key',
      jsonBody({ publicKey: account.address, signedMessage: await account.signMessage({ message }) }),
    )
    expect(answer.status).toBe(200)
    expect(await own.context.db.read.selectFrom('challenge').select('nonce').execute()).toHaveLength(16)
  })

  test('for a message evicted by sixteen newer ones of its requester', async () => {
    const account = newAccount()
    const message = await storage.getMessage(account.address)
    for (let i = 0; i < 16; i++) await storage.getMessage(account.address)
    const answer = await create(account.address, await account.signMessage({ message }))
    expect(errorCodeOf(answer)).toBe('INVALID_SIGNATURE')
  })

  test('for the signature of a contract, if no chain is configured', async () => {
    const { address } = newAccount()
    await storage.getMessage(address)
    const signature: Hex = `0x${'ab'.repeat(200)}`
    expect(errorCodeOf(await create(address, signature))).toBe('CHAIN_NOT_CONFIGURED')
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
    expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'INVALID_LABEL'])
    expect(answer.json).toMatchObject({ error: { details: { issues: [{ field: 'body.keyName' }] } } })
    expect((await create(account.address, signature, { keyName: ' Käse 石 👩‍👧 ' })).status).toBe(200)
  })

  test('if it would have expired already, before anything is signed', async () => {
    const { address } = newAccount()
    const ask = (expiresAt: string) =>
      storage.call(`/api/auth/get_message?publicKey=${address}&purpose=api-key&expiresAt=${expiresAt}`)
    for (const wrong of ['1000', '0', '-1', '9e15', '253402300800000', 'soon', '']) {
      const answer = await ask(wrong)
      expect([answer.status, errorCodeOf(answer)], wrong).toEqual([400, 'INVALID_REQUEST'])
    }
    expect((await ask('253402300799999')).json).toContain('\nKey Expiration Time: 9999-12-31T23:59:59.999Z\n')
  })
})

describe('the signed rights are the granted ones:', () => {
  const day = 24 * 3_600_000
  const keyInfo = async (key: string) => {
    const row = await storage.context.db.read
      .selectFrom('api_key')
      .selectAll()
      .where('id', '=', key.split('_')[1] ?? '')
      .executeTakeFirstOrThrow()
    return { scopes: JSON.parse(row.scopes), expiresAt: row.expires_at }
  }
  const signed = async (query: Record<string, string>, call = 'get_message') => {
    const account = newAccount()
    const asked = new URLSearchParams({ publicKey: account.address, ...query })
    const { json, body } = await storage.call(`/api/auth/${call}?${asked}`)
    if (typeof json !== 'string') throw new Error(body)
    return { ...account, message: json, signature: await account.signMessage({ message: json }) }
  }
  const upload = ({ address, signature }: { address: string; signature: string }) => {
    const form = new FormData()
    form.append('file', new Blob(['paid by a wallet']), 'once.txt')
    return storage.call('/api/v0/add', {
      method: 'POST',
      body: form,
      ...bearer(`${address}$${signature}`),
    })
  }

  test.each([
    [{ scopes: 'files:read', expiresAt: 'never' }, ['files:read'], null],
    [{ purpose: 'api-key', scopes: 'account,files:read' }, ['files:read', 'account'], undefined],
    [{ purpose: 'api-key', expiresAt: '4102444800000' }, ['files:read', 'files:write'], 4_102_444_800_000],
  ])('%j', async (query, scopes, expiresAt) => {
    const { address, message, signature } = await signed(query)
    const end = expiresAt === null ? 'never' : expiresAt === undefined ? '\\S+Z' : '2100-01-01T00:00:00\\.000Z'
    expect(message).toMatch(
      new RegExp(`\nPurpose: Create an API key\nKey Scopes: ${scopes.join(', ')}\nKey Expiration Time: ${end}\n`),
    )
    const answer = await create(address, signature)
    expect(answer.status, answer.body).toBe(200)
    const info = await keyInfo(String(answer.json))
    expect(info.scopes).toEqual(scopes)
    if (expiresAt === undefined) expect(info.expiresAt).toBeGreaterThan(Date.now() + 89 * day)
    else expect(info.expiresAt).toBe(expiresAt)
  })

  test('rejects other scopes or another expiry in the request, and spends nothing', async () => {
    const { address, signature } = await signed({ scopes: 'files:read', expiresAt: '4102444800000' })
    for (const tampered of [
      { scopes: ['files:read', 'files:write', 'account'] },
      { scopes: ['files:write'] },
      { expiresAt: null },
      { expiresAt: 4_102_444_800_001 },
    ]) {
      const answer = await create(address, signature, tampered)
      expect([answer.status, errorCodeOf(answer)], JSON.stringify(tampered)).toEqual([403, 'SIGNED_FOR_ANOTHER_USE'])
    }
    const same = { scopes: ['files:read', 'files:read'], expiresAt: 4_102_444_800_000 }
    expect((await create(address, signature, same)).status).toBe(200)
  })

  test('a text for one upload creates no API key, and is valid only for that upload', async () => {
    const one = await signed({ purpose: 'upload' })
    expect(one.message).toContain('\nPurpose: Authorise one upload\nDomain: ')
    for (let tries = 0; tries < 2; tries++) {
      const refused = await create(one.address, one.signature)
      expect([refused.status, errorCodeOf(refused)]).toEqual([403, 'SIGNED_FOR_ANOTHER_USE'])
    }
    expect((await upload(one)).status).toBe(200)
    expect(errorCodeOf(await upload(one))).toBe('CHALLENGE_EXPIRED')
    expect(errorCodeOf(await create(one.address, one.signature))).toBe('CHALLENGE_EXPIRED')
  })

  test.each([
    ['get_message', { purpose: 'api-key' }],
    ['get_auth_message', {}],
  ])('a text of %s %j for an API key authorises no upload, and is spent once', async (call, query) => {
    const one = await signed(query, call)
    const refused = await upload(one)
    expect([refused.status, errorCodeOf(refused)]).toEqual([403, 'SIGNED_FOR_ANOTHER_USE'])
    expect((await create(one.address, one.signature)).status).toBe(200)
    expect(errorCodeOf(await create(one.address, one.signature))).toBe('CHALLENGE_EXPIRED')
    expect(errorCodeOf(await upload(one))).toBe('CHALLENGE_EXPIRED')
  })

  test('a text of a published client is valid for either, once, and its key reads and writes files for 90 days', async () => {
    const forKey = await signed({})
    expect(forKey.message).toContain('\nPurpose: Create an API key or authorise one upload\n')
    expect(forKey.message).toMatch(/\nKey Scopes: files:read, files:write\nKey Expiration Time: \S+Z\n/)
    const answer = await create(forKey.address, forKey.signature)
    const info = await keyInfo(String(answer.json))
    expect(info.scopes).toEqual(['files:read', 'files:write'])
    expect(Math.abs(Number(info.expiresAt) - Date.now() - 90 * day)).toBeLessThan(day)
    expect(forKey.message).toContain(new Date(Number(info.expiresAt)).toISOString())
    expect(errorCodeOf(await storage.call('/api/auth/api_keys', bearer(String(answer.json))))).toBe('FORBIDDEN')
    const forUpload = await signed({})
    expect((await upload(forUpload)).status).toBe(200)
    expect(errorCodeOf(await create(forUpload.address, forUpload.signature))).toBe('CHALLENGE_EXPIRED')
  })

  test('a text of the previous version, without rights, grants the minimum', async () => {
    const { address, signature, message } = await signed({})
    const old = message.replace(/Key Scopes.*\nKey Expiration.*\n/, '')
    const account = newAccount()
    await storage.context.db.write((trx) =>
      trx
        .updateTable('challenge')
        .set({ address: account.address.toLowerCase(), message: old, purpose: 'api-key', key_grant: null })
        .where('message', '=', message)
        .execute(),
    )
    const answer = await create(account.address, await account.signMessage({ message: old }))
    expect((await keyInfo(String(answer.json))).scopes).toEqual(['files:read', 'files:write'])
    expect((await create(address, signature)).status).toBe(401)
  })

  test('without shared messages, a message without a purpose is for an upload only', async () => {
    await using strict = await startTestStorage({ CAIRN_SHARED_MESSAGES: 'off' })
    const account = newAccount()
    const signature = await account.signMessage({ message: await strict.getMessage(account.address) })
    const body = jsonBody({ publicKey: account.address, signedMessage: signature })
    expect(errorCodeOf(await strict.call('/api/auth/create_api_key', body))).toBe('SIGNED_FOR_ANOTHER_USE')
  })

  test('an upload does not check the rights of a key', async () => {
    const { address } = newAccount()
    for (const query of ['scopes=files:read', 'expiresAt=never', 'scopes=', 'scopes=admin']) {
      const answer = await storage.call(`/api/auth/get_message?publicKey=${address}&purpose=upload&${query}`)
      expect([answer.status, errorCodeOf(answer)], query).toEqual([400, 'INVALID_REQUEST'])
    }
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
      expect([answer.status, errorCodeOf(answer)]).toEqual([401, 'UNAUTHENTICATED'])
      expect(answer.body).toContain('Authentication failed')
    }
    expect((await storage.call('/api/user/user_data_usage')).status).toBe(401)
  })

  test('can do only what its scopes say', async () => {
    const key = await storage.createKey(newAccount(), { scopes: ['files:read'] })
    expect((await usage(key)).status).toBe(200)
    const answer = await storage.call('/api/auth/api_keys', bearer(key))
    expect([answer.status, errorCodeOf(answer)]).toEqual([403, 'FORBIDDEN'])
    expect(answer.json).toMatchObject({ error: { details: { scope: 'account' } } })
  })

  test('expires', async () => {
    await using own = await startTestStorage()
    const key = await own.createKey(newAccount(), { expiresAt: Date.now() + 3_600_000 })
    const ask = () => own.call('/api/user/user_data_usage', bearer(key))
    expect((await ask()).status).toBe(200)
    own.pass(3_600_001)
    expect(errorCodeOf(await ask())).toBe('API_KEY_EXPIRED')
  })

  test('is listed without its secret, with its name and last use, and disappears when revoked', async () => {
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
    expect(errorCodeOf(await usage(first))).toBe('API_KEY_REVOKED')
    expect((await revoke(id)).status).toBe(200)
    expect(await list()).toMatchObject({ keys: [{ name: 'default' }] })
    // Once, with the name that distinguishes a console session from a program's key.
    const { json } = await storage.call('/api/events?types=api_key.revoked', bearer(second))
    expect(json).toMatchObject({ events: [{ data: { keyId: id, name: 'laptop' } }] })
  })

  test('is listed while it is valid, however many expired after it', async () => {
    const account = newAccount()
    const first = await storage.createKey(account, { keyName: 'program' })
    const { db, clock } = storage.context
    const address = account.address.toLowerCase()
    const columns = { address, name: 'console', secret_hash: Buffer.alloc(32), scopes: '[]' }
    const at = clock.now() + 1
    const times = { created_at: at, expires_at: 1, last_used_at: null, revoked_at: null }
    const sessions = Array.from({ length: 1100 }, (_, i) => ({ id: `session${i}`, ...columns, ...times }))
    await db.write((trx) => trx.insertInto('api_key').values(sessions).execute())
    const { json } = await storage.call('/api/auth/api_keys', bearer(first))
    const { keys } = json as { keys: { name: string }[] }
    expect([keys.length, keys.at(-1)?.name]).toEqual([1000, 'program'])
  })

  test('is stored as a hash only', async () => {
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
