// Conditions used by suites for the published clients, on a local network as `npm start` starts it.
import { createRequire } from 'node:module'
import { signSolana } from '@cairn/crypto'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callSolana, createSolanaSigner, mintTokens } from '../../apps/local/src/solana/solana-transaction.fixture.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { skipPauses } from './skip-pauses.ts'

type Shard = { key: string; index: string }
type Kavach = {
  generate(): Promise<{ masterKey: string; keyShards: Shard[] }>
  getAuthMessage(address: string): Promise<{ message: string }>
  accessControl(
    address: string,
    cid: string,
    token: string,
    conditions: unknown[],
    aggregator: string,
    chainType: string,
    shards: Shard[],
    decryptionType: string,
  ): Promise<{ isSuccess: boolean; error: unknown }>
  getAccessCondition(cid: string): Promise<{ data: { aggregator: string; owner: string } }>
  recoverShards(address: string, cid: string, token: string): Promise<{ shards: Shard[]; error: unknown }>
  recoverKey(shards: Shard[]): Promise<{ masterKey: string | null }>
}

const require = createRequire(import.meta.url)
const { default: kavach }: { default: Kavach } = require('kavach-0.2.1')

let network: TestNetwork
let pauses: Disposable
beforeAll(async () => {
  network = await createTestNetwork({}, 'local')
  const config: { default: { lighthouseAuthNode: string } } = require('kavach-0.2.1/dist/config/index.js')
  config.default.lighthouseAuthNode = network.profile.keyRouter ?? ''
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await network?.[Symbol.asyncDispose]()
})

const rule = (id: number, chain: string, value: string) => ({
  id,
  chain,
  method: 'balanceOf',
  standardContractType: 'ERC20',
  contractAddress: '0xF0Bc72fA04aea04d04b1fA80B359Adb566E1c8B1',
  returnValueTest: { comparator: '>=', value },
  parameters: [':userAddress'],
})

test.each([
  ['FantomTest', 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'],
  ['Sepolia', 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
])('conditions that name %s and the documented token are saved and evaluated', async (chain, cid) => {
  const [owner, other] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())]
  const sign = async (account: PrivateKeyAccount) =>
    account.signMessage({ message: (await kavach.getAuthMessage(account.address)).message })
  const { masterKey, keyShards } = await kavach.generate()
  const save = async (rules: unknown[], shards: Shard[]) =>
    kavach.accessControl(owner.address, cid, await sign(owner), rules, '([2] and [1])', 'EVM', shards, 'ADDRESS')
  const recover = async () => {
    const { shards, error } = await kavach.recoverShards(other.address, cid, await sign(other))
    return error === null ? (await kavach.recoverKey(shards)).masterKey : error
  }
  const saved = await save([rule(1, chain, '0'), rule(2, chain, '0')], keyShards)
  expect(saved).toEqual({ isSuccess: true, error: null })
  const { data } = await kavach.getAccessCondition(cid)
  expect(data).toMatchObject({ aggregator: '([2] and [1])', owner: owner.address.toLowerCase() })
  expect(await recover()).toBe(masterKey)
  // No account has the token.
  expect(await save([rule(1, chain, '1'), rule(2, chain, '0')], [])).toEqual({ isSuccess: true, error: null })
  expect(await recover()).toMatchObject({ message: { message: { message: 'Access Denied' } } })
})

test('conditions that name the Solana cluster DEVNET are saved and evaluated: lamports and tokens', async () => {
  const url = network.solana?.url ?? ''
  const [owner, holder, other] = [createSolanaSigner(), createSolanaSigner(), createSolanaSigner()]
  await callSolana(url, 'requestAirdrop', holder.address, 2_000_000_000)
  const { mint } = await mintTokens(url, holder.address, 50n)
  const sign = async ({ address, secret }: typeof owner) =>
    signSolana(secret, (await kavach.getAuthMessage(address)).message)
  const { masterKey, keyShards } = await kavach.generate()
  const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const common = { chain: 'DEVNET', pdaInterface: {}, parameters: [':userAddress'] }
  const rules = (lamports: string, tokens: string) => [
    {
      ...common,
      id: 1,
      method: 'getBalance',
      standardContractType: '',
      returnValueTest: { comparator: '>=', value: lamports },
    },
    {
      ...common,
      id: 2,
      method: 'getTokenAccountsByOwner',
      standardContractType: 'spl-token',
      contractAddress: mint,
      returnValueTest: { comparator: '>=', value: tokens },
    },
  ]
  const save = async (rulesOf: unknown[], shards: Shard[]) =>
    kavach.accessControl(owner.address, cid, await sign(owner), rulesOf, '([2] and [1])', 'SOLANA', shards, 'ADDRESS')
  const recover = async (who: typeof owner) => {
    const { shards, error } = await kavach.recoverShards(who.address, cid, await sign(who))
    return error === null ? (await kavach.recoverKey(shards)).masterKey : error
  }
  const denied = { message: { message: { message: 'Access Denied' } } }
  expect(await save(rules('2000000000', '50'), keyShards)).toEqual({ isSuccess: true, error: null })
  expect(await recover(holder)).toBe(masterKey)
  expect(await recover(other)).toMatchObject(denied)
  expect(await save(rules('2000000001', '50'), [])).toEqual({ isSuccess: true, error: null })
  expect(await recover(holder)).toMatchObject(denied)
  expect(await save(rules('2000000000', '51'), [])).toEqual({ isSuccess: true, error: null })
  expect(await recover(holder)).toMatchObject(denied)
})
