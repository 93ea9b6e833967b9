// One signature for storage and the five key nodes, as programs create it.
import { createHeldSessionKey, parseSignIn, signSolana, solanaAddress } from '@cairn/crypto'
import {
  type Client,
  createClient,
  decryptBytes,
  listApiKeys,
  openKeySession,
  signIn,
  uploadEncryptedBytes,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { without } from '../five-nodes.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

const anonymous = () => createClient({ network: network.profile })
const encoder = new TextEncoder()

/** A wallet that counts its signatures. */
function newWallet() {
  const account = privateKeyToAccount(generatePrivateKey())
  const signed: string[] = []
  const sign = (message: string) => {
    signed.push(message)
    return account.signMessage({ message })
  }
  return { address: account.address, sign, signed }
}

async function storeAndOpen(client: Client): Promise<void> {
  const text = `a secret of ${crypto.randomUUID()}`
  const { cid } = await uploadEncryptedBytes(client, encoder.encode(text), { name: 'a.txt' })
  expect(new TextDecoder().decode(await decryptBytes(client, cid))).toBe(text)
}

test('one signature stores a file, encrypts it and opens it', async () => {
  const wallet = newWallet()
  const expiresAt = Date.UTC(2100, 0)
  const { apiKey, keySession, keyFailure } = await signIn(anonymous(), wallet, {
    name: 'one signature',
    scopes: ['files:read', 'files:write', 'account'],
    expiresAt,
  })
  expect([keyFailure, keySession?.nodes.every((node) => node !== null)]).toEqual([undefined, true])
  if (keySession === undefined) throw new Error('no session')
  const client = createClient({ network: network.profile, apiKey, keySession })
  await storeAndOpen(client)
  expect(wallet.signed).toHaveLength(1)
  expect(await listApiKeys(client)).toMatchObject([
    { name: 'one signature', scopes: ['files:read', 'files:write', 'account'], expiresAt },
  ])
  // The text shown by the wallet: the host of the service, and each party by name.
  const [text = ''] = wallet.signed
  expect(text.split('\n')[0]).toBe(
    `${new URL(network.profile.api).host} wants you to sign in with your Ethereum account:`,
  )
  expect(text.split('Resources:\n')[1]?.split('\n')).toEqual([
    '- cairn:local/storage/api-key?scopes=files:read,files:write,account&expires=2100-01-01T00:00:00.000Z',
    ...[1, 2, 3, 4, 5].map((node) => `- cairn:local/key-nodes/${node}/session`),
  ])
})

test('a key that the platform holds signs all requests', async () => {
  const sessionKey = await createHeldSessionKey()
  const wallet = newWallet()
  const { apiKey, keySession } = await signIn(anonymous(), wallet, { sessionKey })
  expect(parseSignIn(wallet.signed[0] ?? '')?.apiKey).toMatchObject({ scopes: ['files:read', 'files:write'] })
  if (keySession === undefined) throw new Error('no session')
  expect(JSON.stringify(keySession)).not.toContain('secretKey')
  // As IndexedDB keeps it.
  await storeAndOpen(createClient({ network: network.profile, apiKey, keySession: structuredClone(keySession) }))
})

test('a Solana account signs in, stores and opens', async () => {
  const secret = generatePrivateKey().slice(2)
  const wallet = { address: solanaAddress(secret), sign: async (message: string) => signSolana(secret, message) }
  const { apiKey, keySession } = await signIn(anonymous(), wallet)
  if (keySession === undefined) throw new Error('no session')
  await storeAndOpen(createClient({ network: network.profile, apiKey, keySession }))
})

test('two offline nodes change nothing; with three offline, storage opens, and nodes by a separate signature', async () => {
  const two = newWallet()
  const some = await signIn(without(anonymous(), 2, 4), two)
  expect(some.keySession?.nodes.map((node) => node !== null)).toEqual([true, false, true, false, true])
  expect(parseSignIn(two.signed[0] ?? '')?.nonces.map((nonce) => nonce !== undefined)).toEqual([
    true,
    false,
    true,
    false,
    true,
  ])

  const three = newWallet()
  const few = await signIn(without(anonymous(), 1, 2, 3), three)
  expect([few.keySession, few.keyFailure?.code]).toEqual([undefined, 'KEY_NODES_UNAVAILABLE'])
  // It opens nothing at the other two later.
  expect(parseSignIn(three.signed[0] ?? '')?.nonces.every((nonce) => nonce === undefined)).toBe(true)
  const keySession = await openKeySession(anonymous(), three)
  expect(three.signed).toHaveLength(2)
  await storeAndOpen(createClient({ network: network.profile, apiKey: few.apiKey, keySession }))
})

test('nodes that do not know the host of storage report it before anything is signed, and storage still works', async () => {
  await using other = await createTestNetwork()
  const mixed = { ...network.profile, keyNodes: other.profile.keyNodes ?? [] }
  const wallet = newWallet()
  const { keySession, keyFailure } = await signIn(createClient({ network: mixed }), wallet)
  expect([keySession, keyFailure?.code]).toEqual([undefined, 'INVALID_REQUEST'])
  expect(wallet.signed[0]).not.toContain('key-nodes')
  // Storage accepts only texts for its own host.
  const alias = { ...network.profile, api: network.profile.api.replace('127.0.0.1', 'localhost') }
  await expect(signIn(createClient({ network: alias }), newWallet())).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

test('a wallet that declines opens nothing', async () => {
  const wallet = newWallet()
  const declined = { ...wallet, sign: () => Promise.reject(new Error('declined')) }
  await expect(signIn(anonymous(), declined)).rejects.toThrow('declined')
  await expect(signIn(anonymous(), { ...wallet, address: 'nobody' })).rejects.toMatchObject({ code: 'INVALID_ADDRESS' })
})
