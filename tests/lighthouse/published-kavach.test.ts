// The peer's published key clients, unchanged, against the local network's router and five nodes.
import { createRequire } from 'node:module'
import { signSolana, solanaAddress } from '@cairn/crypto'
import type { KeyShard } from '@cairn/protocol'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { skipPauses } from './skip-pauses.ts'

type Result = { isSuccess: boolean; error: unknown }
type Kavach = {
  generate(): Promise<{ masterKey: string; keyShards: KeyShard[] }>
  recoverKey(shards: KeyShard[]): Promise<{ masterKey: string }>
  getAuthMessage(address: string): Promise<{ message: string; error: unknown }>
  getJWT(
    address: string,
    payload: string,
    isRefresh?: boolean,
    chain?: string,
  ): Promise<{ JWT: string | null; refreshToken: string; error: unknown }>
  saveShards(address: string, cid: string, token: string, shards: KeyShard[], shareTo?: string[]): Promise<Result>
  shareToAddress(address: string, cid: string, token: string, shareTo: string[]): Promise<Result>
  revokeAccess(address: string, cid: string, token: string, revokeTo: string[]): Promise<Result>
  transferOwnership(address: string, cid: string, to: string, token: string, reset?: boolean): Promise<Result>
  recoverShards(
    address: string,
    cid: string,
    token: string,
    count?: number,
    dynamicData?: object,
  ): Promise<{ shards: KeyShard[]; error: unknown }>
  getAccessCondition(cid: string): Promise<{ data: Record<string, unknown> }>
}

const require = createRequire(import.meta.url)
const cids = [
  'QmPHdvJGyiLBAk8JvvAqzp5jnCv5kzYJvCL5QTqSdXSLAW',
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
]

let network: TestNetwork
let pauses: Disposable
beforeAll(async () => {
  network = await createTestNetwork()
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await network?.[Symbol.asyncDispose]()
})

describe.each(['kavach-0.1.9', 'kavach-0.2.1'])('%s', (name) => {
  const loaded: { default: Kavach } = require(name)
  const config: { default: { lighthouseAuthNode: string } } = require(`${name}/dist/config/index.js`)
  const kavach = loaded.default
  const cid = cids[name === 'kavach-0.1.9' ? 0 : 1] as string
  const owner = privateKeyToAccount(generatePrivateKey())
  const friend = privateKeyToAccount(generatePrivateKey())
  const stranger = privateKeyToAccount(generatePrivateKey())
  let key: { masterKey: string; keyShards: KeyShard[] }

  const sign = async (account: PrivateKeyAccount) => {
    const { message } = await kavach.getAuthMessage(account.address)
    return account.signMessage({ message })
  }
  const recover = async (account: PrivateKeyAccount) => {
    const { shards, error } = await kavach.recoverShards(account.address, cid, await sign(account))
    return error ?? (await kavach.recoverKey(shards)).masterKey
  }

  beforeAll(async () => {
    config.default.lighthouseAuthNode = network.profile.keyRouter ?? ''
    key = await kavach.generate()
  })

  test('each message is new and contains the expected words', async () => {
    const one = await kavach.getAuthMessage(owner.address)
    const other = await kavach.getAuthMessage(owner.address)
    expect(one.message).toMatch(/^Please sign this message to prove you are owner of this account: [0-9a-f-]{36}/)
    expect(one.message).not.toBe(other.message)
  })

  test('saves with a signature, which is spent afterwards', async () => {
    const token = await sign(owner)
    expect(await kavach.saveShards(owner.address, cid, token, key.keyShards)).toMatchObject({ isSuccess: true })
    const again = await kavach.shareToAddress(owner.address, cid, token, [friend.address]).catch((error) => ({ error }))
    expect(again).toMatchObject({ error: { message: 'Invalid Signature' } })
  })

  test('the owner recovers the key, a stranger does not, and an unknown CID is reported as such', async () => {
    expect(await recover(owner)).toBe(key.masterKey)
    expect(await recover(stranger)).toMatchObject({ message: { message: { message: 'Access Denied' } } })
    const unknown = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
    const { error } = await kavach.recoverShards(owner.address, unknown, await sign(owner))
    expect(error).toBe('cid not found')
  })

  test('shares and revokes again', async () => {
    expect(await kavach.shareToAddress(owner.address, cid, await sign(owner), [friend.address])).toMatchObject({
      isSuccess: true,
    })
    expect(await recover(friend)).toBe(key.masterKey)
    const denied = await kavach
      .shareToAddress(stranger.address, cid, await sign(stranger), [stranger.address])
      .catch((error) => ({ error }))
    expect(denied).toMatchObject({ error: { message: [{ message: { message: 'access denied' } }] } })
    expect(await kavach.revokeAccess(owner.address, cid, await sign(owner), [friend.address])).toMatchObject({
      isSuccess: true,
    })
    expect(await recover(friend)).toMatchObject({ message: { message: { message: 'Access Denied' } } })
  })

  test('transfers a file and back', async () => {
    const transfer = async (from: PrivateKeyAccount, to: PrivateKeyAccount) =>
      kavach.transferOwnership(from.address, cid, to.address, await sign(from))
    expect(await transfer(owner, friend)).toMatchObject({ isSuccess: true })
    expect(await recover(owner)).toMatchObject({ message: { message: { message: 'Access Denied' } } })
    expect(await recover(friend)).toBe(key.masterKey)
    expect((await kavach.getAccessCondition(cid)).data).toMatchObject({
      owner: friend.address.toLowerCase(),
      sharedTo: [],
    })
    expect(await transfer(friend, owner)).toMatchObject({ isSuccess: true })
    expect(await recover(owner)).toBe(key.masterKey)
  })

  test('a JWT serves many operations, is renewed once, and is valid only for its account', async () => {
    const { JWT, refreshToken } = await kavach.getJWT(owner.address, await sign(owner))
    expect(JWT).toMatch(/^jwt:/)
    for (const _turn of [1, 2]) {
      const { shards } = await kavach.recoverShards(owner.address, cid, JWT ?? '')
      expect((await kavach.recoverKey(shards)).masterKey).toBe(key.masterKey)
    }
    const foreign = await kavach.recoverShards(stranger.address, cid, JWT ?? '')
    expect(foreign.error).toMatchObject({ message: 'Invalid Signature' })
    const renewed = await kavach.getJWT(owner.address, refreshToken, true)
    expect(renewed.JWT).toMatch(/^jwt:/)
    expect((await kavach.recoverShards(owner.address, cid, renewed.JWT ?? '')).error).toBeNull()
    expect(await kavach.getJWT(owner.address, '0x1234')).toMatchObject({ JWT: null, error: 'Invalid Signature' })
  })

  test('a Solana wallet can own a key, too', async () => {
    const secret = (name === 'kavach-0.1.9' ? '5' : '6').repeat(64)
    const address = solanaAddress(secret)
    const signIn = async () => signSolana(secret, (await kavach.getAuthMessage(address)).message)
    const own =
      name === 'kavach-0.1.9'
        ? 'QmSsw6EcnwEiTT9c4rnAGeSENvsJMepNHmbrgi2S9bXNJr'
        : 'QmTkzDwWqPbnAh5YiV5VwcTLnGdwSNsNTn2aDxdXBFca7D'
    expect(await kavach.saveShards(address, own, await signIn(), key.keyShards)).toMatchObject({ isSuccess: true })
    const { shards } = await kavach.recoverShards(address, own, await signIn())
    expect((await kavach.recoverKey(shards)).masterKey).toBe(key.masterKey)
  })
})
