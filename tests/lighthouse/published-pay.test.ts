// Prices, payments and one-time authorisation with the published SDK 0.4.3, unchanged, and with our drop-in.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesForUnits, MIB } from '@cairn/protocol'
import { createApiKey, createClient, getUsage, listPayments, useFaucet } from '@cairn/sdk'
import * as dropIn from '@cairn/sdk/lighthouse'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

type Peer = {
  getPrice(pathOrSize: string | number, network: string, token?: string): Promise<bigint>
  fund(amount: bigint, network: string, token: string, privateKey?: string): Promise<{ hash: string }>
  oneTimeAuth(privateKey?: string): Promise<string>
  upload(path: string, apiKey: string): Promise<{ data: { Hash: string } }>
}

const require = createRequire(import.meta.url)
const free = 10 * MIB
let network: TestNetwork
let folder: string

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_FREE_BYTES: String(free) }, 'local', 300)
  folder = await mkdtemp(join(tmpdir(), 'cairn-published-pay-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The local chain in the form of the published configuration, under the name of a network that it knows. */
function describeLocal() {
  const { chain } = network.profile
  const token = (coin: string) => chain?.tokens[coin] ?? { address: '', decimals: 0 }
  return {
    symbol: 'ETH',
    native_decimal: 18,
    rpc: chain?.rpcUrl ?? '',
    scan: '',
    chain_id: String(chain?.chainId),
    lighthouse_contract_address: chain?.paymentContract ?? '',
    usdc_contract_address: token('usdc').address,
    usdc_contract_decimal: token('usdc').decimals,
    usdt_contract_address: token('usdt').address,
    usdt_contract_decimal: token('usdt').decimals,
    dai_contract_address: token('dai').address,
    dai_contract_decimal: token('dai').decimals,
  }
}

describe.each(['lighthouse-sdk-0.4.3', 'our drop-in'])('%s', (name) => {
  const isOurs = name === 'our drop-in'
  let peer: Peer

  beforeAll(() => {
    const { api, upload, gateway } = network.profile
    const hosts = { lighthouseAPI: api, lighthouseNode: upload, lighthouseGateway: gateway }
    if (isOurs) {
      peer = dropIn
      Object.assign(dropIn.lighthouseConfig, hosts)
      dropIn.lighthouseConfig.networks['polygon'] = describeLocal()
      return
    }
    peer = require(name).default
    const { lighthouseConfig } = require(`${name}/dist/lighthouse.config.js`)
    Object.assign(lighthouseConfig, hosts, { polygon: describeLocal() })
  })

  /** A wallet with coins, and its account. */
  async function openPayer() {
    const privateKey = generatePrivateKey()
    const { address } = privateKeyToAccount(privateKey)
    const anonymous = createClient({ network: network.profile })
    const apiKey = await createApiKey(anonymous, { privateKey })
    await useFaucet(anonymous, address)
    return { privateKey, address, client: createClient({ network: network.profile, apiKey }) }
  }

  test('quotes prices of bytes and of a file, in every coin', async () => {
    expect(await peer.getPrice(1024, 'polygon', 'usdc')).toBe(3906n)
    expect(await peer.getPrice(3 * MIB, 'polygon', 'usdt')).toBe(11719n)
    expect(await peer.getPrice(1, 'polygon', 'dai')).toBe(3906250000000000n)
    // 2,000 dollars for a coin.
    expect(await peer.getPrice(1, 'polygon')).toBe(1953125000000n)
    const file = join(folder, 'two.bin')
    await writeFile(file, new Uint8Array(2 * MIB))
    expect(await peer.getPrice(file, 'polygon', 'usdc')).toBe(7813n)
    await expect(peer.getPrice(1, '')).rejects.toThrow('Token not provided!!!')
  })

  // In parallel, because the published client looks for a receipt every four seconds.
  test.concurrent.for(['native', 'usdc', 'usdt', 'dai'])(
    'pays in %s, and gets everything that the price was for',
    async (coin, { expect }) => {
      const payer = await openPayer()
      const sizeBytes = 5 * MIB + 12_345
      const units = await peer.getPrice(sizeBytes, 'polygon', coin)
      const { hash } = await peer.fund(units, 'polygon', coin, payer.privateKey)
      expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
      const bought = async () => (await getUsage(payer.client)).limitBytes - free
      await expect.poll(bought).toBeGreaterThanOrEqual(sizeBytes)
      if (coin === 'usdc') expect(await bought()).toBe(Number(bytesForUnits(units, 6)))
      const payments = []
      for await (const payment of listPayments(payer.client)) payments.push(payment)
      expect(payments).toMatchObject([{ state: 'credited', txHash: hash, coin, units: units.toString() }])
    },
  )

  test('one signature uploads once, without an API key', async () => {
    const { privateKey, client } = await openPayer()
    const file = join(folder, `${name.replace(/\W/g, '')}.txt`)
    await writeFile(file, `paid by a wallet, through ${name}`)
    const bearer = await peer.oneTimeAuth(privateKey)
    expect(bearer.split('$')).toEqual([privateKeyToAccount(privateKey).address, expect.stringMatching(/^0x/)])
    const { data } = await peer.upload(file, bearer)
    expect(data.Hash).toMatch(/^baf/)
    await expect(peer.upload(file, bearer)).rejects.toThrow()
    expect((await getUsage(client)).usedBytes).toBeGreaterThan(0)
  })

  test('reports missing storage in the published words', async () => {
    await expect(peer.fund(1n, 'polygon', 'usdc')).rejects.toThrow('Private Key not found!!!')
    await expect(peer.fund(1n, 'moon', 'usdc', generatePrivateKey())).rejects.toThrow('Unsupported Network!!!')
    await expect(peer.oneTimeAuth()).rejects.toThrow('Private key not provided!!!')
  })
})
