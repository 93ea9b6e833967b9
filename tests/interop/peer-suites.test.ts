// The suites in the peer's repositories, unchanged, against `npm start` as it is. They expect some content and
// keys that their authors stored long ago, which the published clients store here first.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkProfile } from '@cairn/protocol'
import { createClient } from '@cairn/sdk'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { freeOffset } from '../free-offset.ts'
import { type NetworkProgram, readProfile, startNetworkProgram, stopProgram } from '../network-program.ts'
import { untilProven } from '../until-proven.ts'
import { type PeerHosts, peerFile, peerKavach, peerSdk, runPeerSuite, whyNoPeerSuite } from './peer-suites.ts'

type Shard = { key: string; index: string }
type Kavach = {
  generate(): Promise<{ keyShards: Shard[] }>
  getAuthMessage(address: string): Promise<{ message: string }>
  saveShards(address: string, cid: string, token: string, shards: Shard[]): Promise<{ error: unknown }>
  accessControl(
    address: string,
    cid: string,
    token: string,
    conditions: unknown[],
    aggregator: string,
  ): Promise<{ error: unknown }>
}

const require = createRequire(import.meta.url)

/** Private keys printed in the suites. */
const keys = {
  first: '0x6aa0ee41fa9cf65f90c06e5db8fa2834399b59b37974b21f2e405955630d472a',
  second: '0xa74ba0e4cc2e9f0be6776509cdb1495d76ac8fdc727a8b93f60772d73893fe2e',
  kavach: '0x8218aa5dbf4dbec243142286b93e26af521b3e91219583595a06a7765abc9c8b',
} as const

let home = ''
let program: NetworkProgram
let profile: NetworkProfile
let hosts: PeerHosts

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-peer-suites-'))
  program = await startNetworkProgram({ home, offset: await freeOffset() })
  if (!program.ready) throw new Error(program.output())
  profile = readProfile(home)
  hosts = {
    api: profile.api,
    upload: profile.upload,
    gateway: profile.gateway ?? '',
    keyRouter: profile.keyRouter ?? '',
  }
})

afterAll(async () => {
  if (program !== undefined) await stopProgram(program.child, 'SIGTERM')
  await rm(home, { recursive: true, force: true })
})

async function upload(apiKey: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([bytes]), name)
  const answer = await fetch(`${hosts.upload}/api/v0/add?cid-version=0`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body,
  })
  const { Hash: cid }: { Hash: string } = JSON.parse(await answer.text())
  return cid
}

/** Saves a key like the published client, and conditions where a suite expects them. */
async function saveKey(privateKey: `0x${string}`, cid: string, aggregator?: string): Promise<void> {
  const { default: kavach }: { default: Kavach } = require('kavach-0.2.1')
  const config: { default: Record<string, string> } = require('kavach-0.2.1/dist/config/index.js')
  config.default['lighthouseAuthNode'] = hosts.keyRouter
  const owner: PrivateKeyAccount = privateKeyToAccount(privateKey)
  const sign = async () => owner.signMessage({ message: (await kavach.getAuthMessage(owner.address)).message })
  const { keyShards } = await kavach.generate()
  expect((await kavach.saveShards(owner.address, cid, await sign(), keyShards)).error).toBe(null)
  if (aggregator === undefined) return
  const rule = (id: number) => ({
    id,
    chain: 'FantomTest',
    method: 'balanceOf',
    standardContractType: 'ERC20',
    contractAddress: '0xF0Bc72fA04aea04d04b1fA80B359Adb566E1c8B1',
    returnValueTest: { comparator: '>=', value: '0' },
    parameters: [':userAddress'],
  })
  const set = await kavach.accessControl(owner.address, cid, await sign(), [rule(1), rule(2)], aggregator)
  expect(set.error).toBe(null)
}

const noSdk = whyNoPeerSuite(peerSdk)
test.skipIf(noSdk !== undefined)(
  'the suite of the SDK passes completely',
  async ({ task }) => {
    const { apiKey, address, privateKey } = await createTestKey({ profile })
    const image = new Uint8Array(await readFile(peerFile(peerSdk, 'src/Lighthouse/tests/testImages/testImage1.svg')))
    const stored = await createTestKey({ profile })
    const imageCid = await upload(stored.apiKey, 'testImage1.svg', image)
    // One file to delete, and one to list after that.
    for (const text of ['one', 'two']) await upload(apiKey, `${text}.txt`, new TextEncoder().encode(text))
    await saveKey(keys.first, 'QmVkHgHnYVUfvTXsaJisHRgc89zsrgVL6ATh9mSiegRYrX')
    await saveKey(keys.second, 'QmeYAMQLG7n4y2XNVwTexkzxNSzP4FQZyXdYM2U6cJhx8S')
    await saveKey(keys.second, 'QmUHDKv3NNL1mrg4NTW4WwJqetzwZbGNitdjr2G6Z5Xe6s', '([1] and [2])')
    await untilProven(createClient({ network: profile, apiKey: stored.apiKey }), imageCid)
    const result = await runPeerSuite(peerSdk, hosts, {
      TEST_API_KEY: apiKey,
      TEST_PUBLIC_KEY: address,
      TEST_PRIVATE_KEY: privateKey,
    })
    Object.assign(task.meta, { result: `${result.passed} of ${result.total}` })
    expect(result.failed).toEqual([])
    expect(result.passed).toBe(54)
  },
  600_000,
)

const noKavach = whyNoPeerSuite(peerKavach)
test.skipIf(noKavach !== undefined)(
  'the suite of kavach passes completely',
  async ({ task }) => {
    await saveKey(keys.kavach, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', '([2] and [1])')
    const result = await runPeerSuite(peerKavach, hosts)
    Object.assign(task.meta, { result: `${result.passed} of ${result.total}` })
    expect(result.failed).toEqual([])
    expect(result.passed).toBe(23)
  },
  600_000,
)
