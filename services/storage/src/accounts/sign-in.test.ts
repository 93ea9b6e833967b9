import {
  createHeldSessionKey,
  createSessionKey,
  proofHeader,
  proveRequest,
  type SessionKey,
  type SignIn,
  signMessage,
  signSolana,
  solanaAddress,
  storageParty,
  writeSignIn,
} from '@cairn/crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

const minute = 60_000
const path = '/api/auth/sign_in'
const orderOfSecp256k1 = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const nodeNonce = 'a'.repeat(32)

function keyOf(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'apiKey' in answer) return String(answer.apiKey)
  throw new Error('no API key')
}

type Wallet = { address: string; sign(message: string): string }

function newWallet(): Wallet {
  const key = generatePrivateKey()
  return {
    address: privateKeyToAccount(key).address.toLowerCase(),
    sign: (message) => signMessage(key, message),
  }
}

function newSolanaWallet(): Wallet {
  const secret = generatePrivateKey().slice(2)
  return { address: solanaAddress(secret), sign: (message) => signSolana(secret, message) }
}

describeOnDatabases('on %s', (prepare, kind) => {
  describe('sign-ins', () => {
    let environment: Record<string, string>
    let storage: TestStorage
    let passedMs = 0
    beforeAll(async () => {
      environment = { CAIRN_RATE_FACTOR: '0', CAIRN_STORAGE_SECRET: '22'.repeat(32), ...(await prepare()) }
      storage = await startTestStorage(environment)
    })
    afterAll(() => storage?.[Symbol.asyncDispose]())

    const now = () => Date.now() + passedMs
    const domain = () => new URL(storage.apiUrl).host
    const pass = (ms: number) => {
      passedMs += ms
      storage.pass(ms)
    }

    /** Builds a text with this service's nonce; `change` modifies it after the nonce was issued. */
    async function createSignIn(
      wallet: Wallet,
      sessionKey: SessionKey,
      changes: Partial<SignIn> = {},
    ): Promise<SignIn> {
      const issuedAt = now()
      const subject = {
        id: crypto.randomUUID(),
        domain: domain(),
        address: wallet.address,
        issuedAt,
        expiresAt: issuedAt + 10 * minute,
      }
      const { json, body } = await storage.call('/api/auth/nonce', jsonBody(subject))
      if (typeof json !== 'object' || json === null || !('nonce' in json)) throw new Error(`no nonce: ${body}`)
      const nonces = [nodeNonce, nodeNonce, nodeNonce, undefined, undefined]
      return {
        ...subject,
        network: 'local',
        storageNonce: String(json.nonce),
        nonces,
        sessionKey: sessionKey.publicKey,
        ...changes,
      }
    }

    type Shown = {
      signature?: string
      /** Signs the proof; null sends none. */
      key?: SessionKey | null
      provenPath?: string
      provenBody?: string
      provenAt?: number
      party?: number
      token?: string
      at?: TestStorage
      changes?: Record<string, unknown>
    }

    async function show(wallet: Wallet, signIn: SignIn, sessionKey: SessionKey, shown: Shown = {}) {
      const message = writeSignIn(signIn)
      const { signature = wallet.sign(message), key = sessionKey, at = storage, changes } = shown
      const body = JSON.stringify({ address: wallet.address, message, signature, ...changes })
      const request = {
        method: 'POST',
        path: shown.provenPath ?? path,
        node: shown.party ?? storageParty,
        body: shown.provenBody ?? body,
        token: shown.token ?? signIn.storageNonce ?? '',
      }
      const proof = key === null ? undefined : await proveRequest(request, key, shown.provenAt ?? now())
      const answer = await at.call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(proof === undefined ? {} : { [proofHeader]: proof }) },
        body,
      })
      return { ...answer, code: answer.headers.get('x-cairn-code') }
    }

    test.each([
      ['an EVM wallet', newWallet],
      ['a Solana wallet', newSolanaWallet],
    ])('a text signed by %s gives an API key to the first request, once', async (_what, create) => {
      const wallet = create()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      const answers = await Promise.all(Array.from({ length: 8 }, () => show(wallet, signIn, sessionKey)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ code }) => code === 'CHALLENGE_EXPIRED')).toHaveLength(7)
      const apiKey = keyOf(answers.find(({ status }) => status === 200)?.json)
      const usage = await storage.call('/api/user/user_data_usage', bearer(apiKey))
      expect(usage.json).toMatchObject({ dataUsed: 0 })
    })

    test('the key has the requested name and the signed scopes and expiry; nothing else spends the text', async () => {
      const wallet = newWallet()
      const sessionKey = await createHeldSessionKey()
      const past = { scopes: ['files:read'], expiresAt: now() - 1 }
      const late = await show(wallet, await createSignIn(wallet, sessionKey, { apiKey: past }), sessionKey)
      expect([late.status, late.code]).toEqual([400, 'INVALID_REQUEST'])
      const odd = { scopes: ['files:read', 'admin'], expiresAt: null }
      const unknown = await show(wallet, await createSignIn(wallet, sessionKey, { apiKey: odd }), sessionKey)
      expect([unknown.status, unknown.code]).toEqual([400, 'INVALID_REQUEST'])
      const apiKey = { scopes: ['files:read', 'account'], expiresAt: now() + minute }
      const signIn = await createSignIn(wallet, sessionKey, { apiKey })
      const named = await show(wallet, signIn, sessionKey, { changes: { keyName: 'a\u009bb' } })
      expect([named.status, named.code]).toEqual([400, 'INVALID_LABEL'])
      for (const changes of [
        { scopes: ['files:read', 'files:write', 'account'] },
        { scopes: ['files:read'] },
        { expiresAt: null },
        { expiresAt: 1 },
      ]) {
        const tampered = await show(wallet, signIn, sessionKey, { changes })
        expect([tampered.status, tampered.code]).toEqual([403, 'SIGNED_FOR_ANOTHER_USE'])
      }
      // Other rights make another text.
      const signature = wallet.sign(writeSignIn(signIn))
      const widened = { ...signIn, apiKey: { scopes: ['files:read', 'files:write', 'account'], expiresAt: null } }
      expect((await show(wallet, widened, sessionKey, { signature })).code).toBe('INVALID_SIGNATURE')
      const made = keyOf((await show(wallet, signIn, sessionKey, { changes: { keyName: 'tab', ...apiKey } })).json)
      const list = await storage.call('/api/auth/api_keys', bearer(made))
      expect(list.json).toMatchObject({ keys: [{ name: 'tab', ...apiKey }] })
    })

    test('a text of an older client, without rights, gives a key that reads and writes files', async () => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      const apiKey = keyOf((await show(wallet, signIn, sessionKey)).json)
      expect((await storage.call('/api/user/user_data_usage', bearer(apiKey))).status).toBe(200)
      expect((await storage.call('/api/auth/api_keys', bearer(apiKey))).status).toBe(403)
      const row = await storage.context.db.read
        .selectFrom('api_key')
        .select(['scopes', 'expires_at'])
        .where('id', '=', apiKey.split('_')[1] ?? '')
        .executeTakeFirstOrThrow()
      expect(row).toEqual({
        scopes: '["files:read","files:write"]',
        expires_at: signIn.issuedAt + 90 * 24 * 60 * minute,
      })
    })

    // SQLite has one process only.
    const onReplicas = kind === 'sqlite' ? () => undefined : test
    onReplicas('a replica takes no text that another one took', async () => {
      await using other = await startTestStorage({ ...environment, CAIRN_PUBLIC_API_URL: storage.apiUrl })
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      const answers = await Promise.all([
        show(wallet, signIn, sessionKey, { at: other }),
        show(wallet, signIn, sessionKey),
        show(wallet, signIn, sessionKey, { at: other }),
      ])
      expect(answers.map(({ code }) => code).sort()).toEqual(['CHALLENGE_EXPIRED', 'CHALLENGE_EXPIRED', null].sort())
    })

    test.each<[string, Partial<SignIn>]>([
      ['another domain', { domain: 'evil.test' }],
      ['another network', { network: 'other' }],
      ['the key nodes alone', { storageNonce: undefined }],
      ['another nonce', { storageNonce: 'b'.repeat(32) }],
      ['another time', { issuedAt: Date.now() - 1 }],
      ['a longer life', { expiresAt: Date.now() + 60 * minute }],
      ['another id', { id: '0b0e7f3c-8d4e-4b8e-9a55-2f3f4c5d6e7f' }],
    ])('a text for %s is rejected, and spends nothing', async (_what, changes) => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const good = await createSignIn(wallet, sessionKey)
      const answer = await show(wallet, { ...good, ...changes }, sessionKey)
      expect([answer.status, answer.code]).toEqual([401, 'INVALID_SIGNATURE'])
      expect((await show(wallet, good, sessionKey)).status).toBe(200)
    })

    test('a changed node list makes a different text, which the signature does not cover', async () => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      const signature = wallet.sign(writeSignIn(signIn))
      const other = { ...signIn, nonces: [nodeNonce, nodeNonce, nodeNonce, nodeNonce, nodeNonce] }
      expect((await show(wallet, other, sessionKey, { signature })).code).toBe('INVALID_SIGNATURE')
      expect((await show(wallet, signIn, sessionKey, { signature })).status).toBe(200)
    })

    test('a signature of another wallet, of the twin, or for another account is rejected', async () => {
      const wallet = newWallet()
      const other = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      const message = writeSignIn(signIn)
      const signature = wallet.sign(message)
      const s = orderOfSecp256k1 - BigInt(`0x${signature.slice(66, 130)}`)
      const twin = `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`
      for (const wrong of [other.sign(message), twin, `0x${'0'.repeat(130)}`, 'x']) {
        expect((await show(wallet, signIn, sessionKey, { signature: wrong })).code, wrong).toBe('INVALID_SIGNATURE')
      }
      expect((await show(other, signIn, sessionKey)).code).toBe('INVALID_SIGNATURE')
      expect((await show(wallet, signIn, sessionKey)).status).toBe(200)
    })

    test('a stolen text and signature are useless without the session key, for this exact request', async () => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      for (const [what, shown] of [
        ['no proof', { key: null }],
        ['another key', { key: createSessionKey() }],
        ['another path', { provenPath: '/api/auth/nonce' }],
        ['another body', { provenBody: '{}' }],
        ['a key node', { party: 1 }],
        ['another token', { token: 'x' }],
        ['two minutes ago', { provenAt: now() - 2 * minute }],
        ['in two minutes', { provenAt: now() + 2 * minute }],
      ] as const) {
        const answer = await show(wallet, signIn, sessionKey, shown)
        expect([answer.status, answer.code], what).toEqual([401, 'INVALID_SIGNATURE'])
      }
      expect((await show(wallet, signIn, sessionKey)).status).toBe(200)
    })

    test('a text expires, and stays spent for as long as any clock could accept it', async () => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const [late, used] = [await createSignIn(wallet, sessionKey), await createSignIn(wallet, sessionKey)]
      expect((await show(wallet, used, sessionKey)).status).toBe(200)
      const spent = () =>
        storage.context.db.read.selectFrom('spent_sign_in').select('id').where('id', '=', used.id).execute()
      pass(11 * minute)
      expect((await show(wallet, late, sessionKey)).code).toBe('CHALLENGE_EXPIRED')
      expect((await show(wallet, used, sessionKey)).code).toBe('CHALLENGE_EXPIRED')
      const signInAgain = async () =>
        expect((await show(wallet, await createSignIn(wallet, sessionKey), sessionKey)).status).toBe(200)
      await signInAgain()
      expect(await spent()).toHaveLength(1)
      pass(2 * minute)
      await signInAgain()
      expect(await spent()).toEqual([])
    })

    test('a text of a clock that was ahead is not valid before its time', async () => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      pass(-2 * minute)
      expect((await show(wallet, signIn, sessionKey)).code).toBe('INVALID_SIGNATURE')
      pass(2 * minute)
      expect((await show(wallet, signIn, sessionKey)).status).toBe(200)
    })

    test('rejects another host or another time without a nonce', async () => {
      const { address } = newWallet()
      const ask = (changes: object) => {
        const subject = {
          id: crypto.randomUUID(),
          domain: domain(),
          address,
          issuedAt: now(),
          expiresAt: now() + minute,
        }
        return storage.call('/api/auth/nonce', jsonBody({ ...subject, ...changes }))
      }
      expect((await ask({})).status).toBe(200)
      const foreign = await ask({ domain: 'evil.test' })
      expect(foreign.headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
      for (const changes of [
        { issuedAt: now() + 2 * minute, expiresAt: now() + 3 * minute },
        { issuedAt: now() - 2 * minute },
        { expiresAt: now() + 60 * minute },
        { expiresAt: 0 },
      ]) {
        expect((await ask(changes)).headers.get('x-cairn-code')).toBe('CHALLENGE_EXPIRED')
      }
    })

    test('the log contains neither text nor signature nor proof', async () => {
      const wallet = newWallet()
      const sessionKey = createSessionKey()
      const signIn = await createSignIn(wallet, sessionKey)
      const { json } = await show(wallet, signIn, sessionKey)
      const log = storage.log.join('')
      expect(log).toContain('"call":"signIn"')
      for (const secret of [sessionKey.secretKey, wallet.sign(writeSignIn(signIn)), keyOf(json)])
        expect(log).not.toContain(secret)
    })
  })
})
