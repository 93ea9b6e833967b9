// Conditions as set by published clients, and by our own, on a real EVM node.
import { createRequire } from 'node:module'
import type { KeyShard } from '@cairn/protocol'
import {
  decryptBytes,
  explainAccess,
  getConditions,
  removeConditions,
  setConditions,
  uploadEncryptedText,
} from '@cairn/sdk'
import * as dropIn from '@cairn/sdk/lighthouse'
import { type Anvil, startAnvil } from '@cairn/service/anvil-fixture'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../../services/keynode/src/conditions/compile.fixture.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { skipPauses } from './skip-pauses.ts'

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
contract Coin is ERC20("Coin", "C") { function mint(address to, uint256 amount) external { _mint(to, amount); } }
`

type Kavach = {
  generate(): Promise<{ masterKey: string; keyShards: KeyShard[] }>
  getAuthMessage(address: string): Promise<{ message: string }>
  getJWT(address: string, signature: string): Promise<{ JWT: string }>
  recoverKey(shards: KeyShard[]): Promise<{ masterKey: string }>
  saveShards(address: string, cid: string, token: string, shards: KeyShard[]): Promise<{ isSuccess: boolean }>
  accessControl(
    address: string,
    cid: string,
    token: string,
    conditions: unknown[],
    aggregator?: string,
    chainType?: string,
    shards?: KeyShard[],
    decryptionType?: string,
  ): Promise<{ isSuccess: boolean; error: unknown }>
  recoverShards(address: string, cid: string, token: string): Promise<{ shards: KeyShard[]; error: unknown }>
  getAccessCondition(cid: string): Promise<{ data: Record<string, unknown> }>
}

const require = createRequire(import.meta.url)
const cids = [
  'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq',
  'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
]

let network: TestNetwork
let anvil: Anvil
let pauses: Disposable
let coin: `0x${string}`
const holder = privateKeyToAccount(generatePrivateKey())

beforeAll(async () => {
  anvil = await startAnvil()
  const contract = compile(source)('Coin')
  coin = await anvil.deploy(contract)
  await anvil.send(contract, coin, 'mint', [holder.address, 10n ** 18n])
  const chains = {
    FantomTest: { family: 'evm', chainId: 31337, rpcUrls: [anvil.url], confirmations: 0, aliases: ['Optimism'] },
  }
  network = await createTestNetwork({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }) })
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await network?.[Symbol.asyncDispose]()
  await anvil?.[Symbol.asyncDispose]()
})

const tokenRule = (id = 1, value = '1000000000000000000') => ({
  id,
  chain: 'fantomtest',
  method: 'balanceOf',
  standardContractType: 'ERC20',
  contractAddress: coin,
  returnValueTest: { comparator: '>=', value },
  parameters: [':userAddress'],
})
const blockRule = (id = 2) => ({
  id,
  chain: 'Optimism',
  method: 'getBlockNumber',
  standardContractType: '',
  returnValueTest: { comparator: '>', value: '999999999' },
})

describe.each(['kavach-0.1.9', 'kavach-0.2.1', 'our drop-in'])('%s', (name) => {
  const isOurs = name === 'our drop-in'
  const kavach: Kavach = isOurs ? (dropIn.kavach as unknown as Kavach) : (require(name) as { default: Kavach }).default
  const cid = cids[['kavach-0.1.9', 'kavach-0.2.1', 'our drop-in'].indexOf(name)] ?? ''
  const owner = privateKeyToAccount(generatePrivateKey())
  const stranger = privateKeyToAccount(generatePrivateKey())
  const sign = async (account: PrivateKeyAccount) =>
    account.signMessage({ message: (await kavach.getAuthMessage(account.address)).message })
  const recover = async (account: PrivateKeyAccount) => {
    const { shards, error } = await kavach.recoverShards(account.address, cid, await sign(account))
    return error === null ? (await kavach.recoverKey(shards)).masterKey : 'denied'
  }

  beforeAll(() => {
    if (isOurs) {
      dropIn.lighthouseConfig.lighthouseAuthNode = network.profile.keyRouter ?? ''
      dropIn.lighthouseConfig.keyNodePauseMs = 0
    } else {
      const config: { default: { lighthouseAuthNode: string } } = require(`${name}/dist/config/index.js`)
      config.default.lighthouseAuthNode = network.profile.keyRouter ?? ''
    }
  })

  test('saves a key with a condition: holders of the token read it, others do not', async () => {
    const { masterKey, keyShards } = await kavach.generate()
    const saved = await kavach.accessControl(owner.address, cid, await sign(owner), [tokenRule()], '', 'evm', keyShards)
    expect(saved).toMatchObject({ isSuccess: true, error: null })
    expect(await recover(holder)).toBe(masterKey)
    expect(await recover(owner)).toBe(masterKey)
    expect(await recover(stranger)).toBe('denied')
    expect((await kavach.getAccessCondition(cid)).data).toMatchObject({ owner: owner.address.toLowerCase() })
  })

  test('changes the conditions, so that both are required, which no account meets', async () => {
    const rules = [tokenRule(), blockRule()]
    const changed = await kavach.accessControl(owner.address, cid, await sign(owner), rules, '([1] and [2])')
    expect(changed).toMatchObject({ isSuccess: true })
    expect(await recover(holder)).toBe('denied')
    const either = await kavach.accessControl(owner.address, cid, await sign(owner), rules, '([1] or [2])')
    expect(either).toMatchObject({ isSuccess: true })
    expect(await recover(holder)).not.toBe('denied')
    const foreign = await kavach
      .accessControl(stranger.address, cid, await sign(stranger), rules, '([1] or [2])')
      .catch((error: unknown) => ({ isSuccess: false, error }))
    expect(foreign.isSuccess).toBe(false)
  })
})

test('a key left to its conditions has no owner: accounts that meet them read it, none changes it, a repeated call is the same', async () => {
  const kavach: { default: Kavach } = require('kavach-0.2.1')
  const { masterKey, keyShards } = await kavach.default.generate()
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
  const owner = privateKeyToAccount(generatePrivateKey())
  const sign = async (account: PrivateKeyAccount) =>
    account.signMessage({ message: (await kavach.default.getAuthMessage(account.address)).message })
  const { JWT } = await kavach.default.getJWT(owner.address, await sign(owner))
  const save = (rules: unknown[], shards?: KeyShard[]) =>
    kavach.default.accessControl(owner.address, cid, JWT, rules, '', 'evm', shards, 'ACCESS_CONDITIONS')
  expect(await save([tokenRule()], keyShards)).toMatchObject({ isSuccess: true, error: null })
  expect(await save([tokenRule()], keyShards)).toMatchObject({ isSuccess: true, error: null })
  const read = async (account: PrivateKeyAccount) => {
    const { shards, error } = await kavach.default.recoverShards(account.address, cid, await sign(account))
    return error === null ? (await kavach.default.recoverKey(shards)).masterKey : 'denied'
  }
  expect(await read(holder)).toBe(masterKey)
  expect(await read(owner)).toBe('denied')
  for (const change of [() => save([tokenRule(1, '1')]), () => save([tokenRule(1, '1')], keyShards)]) {
    const changed = await change().catch((error: unknown) => ({ isSuccess: false, error }))
    expect(changed.isSuccess).toBe(false)
  }
  expect((await kavach.default.getAccessCondition(cid)).data).toMatchObject({ owner: `0x${'0'.repeat(40)}` })
  expect(await read(holder)).toBe(masterKey)
})

test('our own client sets, explains and removes conditions', async () => {
  const owner = await createKeyClient(network)
  const rich = await createKeyClient(network, generatePrivateKey())
  const { cid } = await uploadEncryptedText(owner, 'for holders', { conditions: { conditions: [tokenRule(1, '5')] } })
  expect(await explainAccess(rich, cid)).toMatchObject({
    isAllowed: false,
    by: 'none',
    conditions: [{ id: 1, result: 'false', observed: '0' }],
  })
  await anvil.send(compile(source)('Coin'), coin, 'mint', [rich.address, 7n])
  // Each node requests the newest block again after at most two seconds, and three nodes must have seen it.
  const limits = { timeout: 60_000, interval: 500 }
  await expect.poll(async () => (await explainAccess(rich, cid)).isAllowed, limits).toBe(true)
  const read = () => decryptBytes(rich, cid).then((bytes) => new TextDecoder().decode(bytes), String)
  await expect.poll(read, limits).toBe('for holders')
  expect(await explainAccess(owner, cid, { about: rich.address })).toMatchObject({ by: 'conditions' })
  expect((await getConditions(rich, cid)).conditions).toHaveLength(1)
  await expect(
    setConditions(owner, cid, { conditions: [{ ...tokenRule(), contractAddress: `0x${'2'.repeat(40)}` }] }),
  ).rejects.toMatchObject({
    code: 'INVALID_CONDITION',
  })
  await expect(
    setConditions(owner, cid, { conditions: [tokenRule()], decryptionType: 'ACCESS_CONDITIONS' }),
  ).rejects.toMatchObject({ code: 'INVALID_CONDITION', message: expect.stringContaining('without an owner') })
  await removeConditions(owner, cid)
  await expect(decryptBytes(rich, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})
