// The peer's published SDKs with their own key client, unchanged, and our drop-in for them: encrypted files against the
// local network, by the same tests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decryptBytes, getKey, uploadEncryptedText } from '@cairn/sdk'
import * as dropIn from '@cairn/sdk/lighthouse'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyClient, createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { skipPauses } from './skip-pauses.ts'

type Uploaded = { data: { Name: string; Hash: string; Size: string }[] }
type Sdk = {
  getAuthMessage(publicKey: string): Promise<{ data: { message: string | null } }>
  uploadEncrypted(path: string, apiKey: string, publicKey: string, token: string): Promise<Uploaded>
  textUploadEncrypted(text: string, apiKey: string, publicKey: string, token: string, name?: string): Promise<Uploaded>
  fetchEncryptionKey(cid: string, publicKey: string, token: string): Promise<{ data: { key: string | null } }>
  decryptFile(cid: string, key: string): Promise<ArrayBuffer | Blob>
  shareFile(publicKey: string, shareTo: string[], cid: string, token: string): Promise<{ data: object }>
  revokeFileAccess(
    publicKey: string,
    revokeTo: string | string[],
    cid: string,
    token: string,
  ): Promise<{ data: object }>
  getAccessConditions(cid: string): Promise<{ data: Record<string, unknown> }>
}
type KeyClient = {
  getJWT(address: string, signature: string): Promise<{ JWT: string | null }>
}
type Config = Record<string, unknown>

const require = createRequire(import.meta.url)
const load = (name: string) => ({
  sdk: (require(name) as { default: Sdk }).default,
  config: (require(`${name}/dist/lighthouse.config.js`) as { lighthouseConfig: Config }).lighthouseConfig,
})
const keyClient: { default: KeyClient } = require('@lighthouse-web3/kavach')
const keyConfig: { default: Config } = require('@lighthouse-web3/kavach/dist/config/index.js')

let network: TestNetwork
let pauses: Disposable
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  pauses = skipPauses()
  folder = mkdtempSync(join(tmpdir(), 'cairn-published-'))
  keyConfig.default['lighthouseAuthNode'] = network.profile.keyRouter
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  pauses?.[Symbol.dispose]()
  await network?.[Symbol.asyncDispose]()
})

describe.each([
  { who: 'SDK 0.4.7', ...load('@lighthouse-web3/sdk'), keys: keyClient.default },
  { who: 'SDK 0.4.3', ...load('lighthouse-sdk-0.4.3'), keys: keyClient.default },
  { who: 'our drop-in', sdk: dropIn.default, config: dropIn.lighthouseConfig as Config, keys: dropIn.kavach },
])('$who', ({ who, sdk, config, keys }) => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const friend = privateKeyToAccount(generatePrivateKey())
  let apiKey = ''

  const sign = async (account: PrivateKeyAccount) => {
    const { message } = (await sdk.getAuthMessage(account.address)).data
    return account.signMessage({ message: message ?? '' })
  }
  const open = async (account: PrivateKeyAccount, cid: string) => {
    const { key } = (await sdk.fetchEncryptionKey(cid, account.address, await sign(account))).data
    const plain = await sdk.decryptFile(cid, key ?? '')
    return Buffer.from(plain instanceof Blob ? await plain.arrayBuffer() : plain).toString()
  }

  beforeAll(async () => {
    const { profile } = network
    config['lighthouseAPI'] = profile.api
    config['lighthouseNode'] = profile.upload
    config['lighthouseGateway'] = profile.gateway
    config['lighthouseBLSNode'] = profile.keyRouter
    config['lighthouseAuthNode'] = profile.keyRouter
    config['keyNodePauseMs'] = 0
    apiKey = (await createTestKey(network)).apiKey
  })

  test('uploads an encrypted file with one signature and opens it with another', async () => {
    const path = join(folder, 'one.txt')
    writeFileSync(path, `one of ${who}`)
    const { data } = await sdk.uploadEncrypted(path, apiKey, owner.address, await sign(owner))
    expect(data).toHaveLength(1)
    const cid = data[0]?.Hash ?? ''
    expect(await open(owner, cid)).toBe(`one of ${who}`)
    await expect(open(friend, cid)).rejects.toBeTruthy()
  })

  test('shares, reads and revokes a text', async () => {
    const { data } = await sdk.textUploadEncrypted('a text', apiKey, owner.address, await sign(owner))
    const cid = data[0]?.Hash ?? ''
    expect(await sdk.shareFile(owner.address, [friend.address], cid, await sign(owner))).toEqual({
      data: { cid, shareTo: [friend.address], status: 'Success' },
    })
    expect(await open(friend, cid)).toBe('a text')
    expect((await sdk.getAccessConditions(cid)).data).toMatchObject({
      owner: owner.address.toLowerCase(),
      cid,
      sharedTo: [],
      conditions: [],
      conditionsSolana: [],
    })
    expect(await sdk.revokeFileAccess(owner.address, friend.address, cid, await sign(owner))).toMatchObject({
      data: { cid, revokeTo: friend.address, status: 'Success' },
    })
    await expect(open(friend, cid)).rejects.toBeTruthy()
  })

  test('a folder needs a JWT, and each of its files has a key', async () => {
    const place = join(folder, `tree ${who}`)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'a.txt'), `a of ${who}`)
    writeFileSync(join(place, 'b.txt'), `b of ${who}`)
    await expect(sdk.uploadEncrypted(place, apiKey, owner.address, await sign(owner))).rejects.toThrow(
      'auth_token must be a JWT',
    )
    const { JWT } = await keys.getJWT(owner.address, await sign(owner))
    const { data } = await sdk.uploadEncrypted(place, apiKey, owner.address, JWT ?? '')
    const texts = await Promise.all(data.map(({ Hash }) => open(owner, Hash)))
    expect(texts.sort()).toEqual([`a of ${who}`, `b of ${who}`])
  })

  test('our client opens what it stored, and it opens what our client stored', async () => {
    const client = await createKeyClient(network, generatePrivateKey())
    const account = privateKeyToAccount(client.privateKey as `0x${string}`)
    const { data } = await sdk.textUploadEncrypted('theirs', apiKey, account.address, await sign(account))
    const cid = data[0]?.Hash ?? ''
    // Their sets have no commitments: all five nodes agree.
    expect(await getKey(client, cid)).toMatchObject({ wrongNodes: [], failedNodes: [] })
    expect(new TextDecoder().decode(await decryptBytes(client, cid))).toBe('theirs')
    const ours = await uploadEncryptedText(client, 'ours')
    expect(await open(account, ours.cid)).toBe('ours')
  })
})
