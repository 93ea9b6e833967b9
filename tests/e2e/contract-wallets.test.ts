// API keys for contract wallets: a real EVM node, a wallet contract assembled by hand.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { coreumAddress, signCoreum, signSolana, solanaAddress } from '@cairn/crypto'
import {
  createClient,
  getKey,
  getUsage,
  openKeySession,
  prepareKey,
  saveKey,
  shareFile,
  signIn,
  transferFile,
} from '@cairn/sdk'
import { serveChain } from '@cairn/service/chain-endpoint-fixture'
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeErrorResult,
  getContractAddress,
  type Hex,
  http,
  parseAbi,
  publicActions,
  size,
  toHex,
  zeroHash,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { serializeErc6492Signature } from 'viem/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

const require = createRequire(import.meta.url)
const owner = privateKeyToAccount(generatePrivateKey())
/** Deploys any code sent to it; anvil includes it. @see https://github.com/Arachnid/deterministic-deployment-proxy */
const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

let anvil: ChildProcess
let rpcUrl = ''
let network: TestNetwork

beforeAll(async () => {
  const folder = dirname(require.resolve('@foundry-rs/anvil-linux-amd64/package.json'))
  anvil = spawn(join(folder, 'bin/anvil'), ['--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (anvil.stdout === null) throw new Error('no output')
  for await (const line of createInterface(anvil.stdout)) {
    const address = /Listening on (\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    rpcUrl = `http://${address}`
    break
  }
  // Further output is not read: a full pipe would stop it.
  anvil.stdout.resume()
  const chains = { Local: { family: 'evm', chainId: 31337, rpcUrls: [rpcUrl], confirmations: 0 } }
  network = await createTestNetwork({
    CAIRN_EVM_RPC_URL: rpcUrl,
    CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }),
  })
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  if (anvil?.exitCode !== null) return
  anvil.kill()
  await once(anvil, 'exit')
})

/** `isValidSignature(hash, signature)` accepts 65 bytes that recover to its one owner. */
function assembleWallet(ownerAddress: Hex): Hex {
  const runtime = concat([
    '0x600435600052', // memory[0] = hash
    '0x60a43560f81c602052', // memory[32] = v
    '0x606435604052', // memory[64] = r
    '0x608435606052', // memory[96] = s
    '0x602060806080600060015afa50', // ecrecover(memory[0..128]) → memory[128]
    '0x60805173',
    ownerAddress,
    '0x14', // is it the owner?
    '0x631626ba7e60e01b02', // then the magic value, else zero
    '0x60005260206000f3',
  ])
  const length = toHex(size(runtime), { size: 1 })
  return concat(['0x60', length, '0x600c6000', '0x39', '0x60', length, '0x6000f3', runtime])
}

const wallet = () => createWalletClient({ transport: http(rpcUrl) }).extend(publicActions)

async function createKey(address: Hex, sign: (message: string) => Promise<Hex>): Promise<Response> {
  const { api } = network.profile
  const message: unknown = await (await fetch(`${api}/api/auth/get_message?publicKey=${address}`)).json()
  return fetch(`${api}/api/auth/create_api_key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey: address, signedMessage: await sign(String(message)) }),
  })
}

async function deploy(code: Hex): Promise<Hex> {
  const client = wallet()
  const [account] = await client.getAddresses()
  if (account === undefined) throw new Error('anvil has no accounts')
  const hash = await client.sendTransaction({ account, chain: null, data: code })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('not deployed')
  return contractAddress
}

test('a contract wallet gets a key for what its owner signed, and for nothing else (EIP-1271)', async () => {
  const address = await deploy(assembleWallet(owner.address))
  const good = await createKey(address, (message) => owner.signMessage({ message }))
  expect(good.status, await good.clone().text()).toBe(200)
  expect(await good.json()).toMatch(/^cairn_/)
  const stranger = privateKeyToAccount(generatePrivateKey())
  for (const sign of [
    (message: string) => stranger.signMessage({ message }),
    (message: string) => owner.signMessage({ message: `${message}!` }),
    async (): Promise<Hex> => `0x${'ab'.repeat(200)}`,
  ]) {
    const answer = await createKey(address, sign)
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([401, 'INVALID_SIGNATURE'])
  }
})

test.each([
  ['reverts', '0x6460006000fd6000526005601bf3'],
  ['answers nothing', '0x60006000526001601ff3'],
] as const)('a contract that %s refuses the signature', async (_how, code) => {
  const address = await deploy(code)
  const answer = await createKey(address, (message) => owner.signMessage({ message }))
  expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([401, 'INVALID_SIGNATURE'])
})

test('an address without code gets no key for the signature of another', async () => {
  const { address } = privateKeyToAccount(generatePrivateKey())
  const answer = await createKey(address, (message) => owner.signMessage({ message }))
  expect(answer.headers.get('x-cairn-code')).toBe('INVALID_SIGNATURE')
})

test('a wallet that is not deployed yet sends its deployment along (ERC-6492)', async () => {
  const code = assembleWallet(owner.address)
  const address = getContractAddress({ opcode: 'CREATE2', from: deployer, salt: zeroHash, bytecode: code })
  const wrap = async (signature: Promise<Hex>) =>
    serializeErc6492Signature({ address: deployer, data: concat([zeroHash, code]), signature: await signature })
  const good = await createKey(address, (message) => wrap(owner.signMessage({ message })))
  expect(good.status, await good.clone().text()).toBe(200)
  const stranger = privateKeyToAccount(generatePrivateKey())
  const wrong = await createKey(address, (message) => wrap(stranger.signMessage({ message })))
  expect(wrong.headers.get('x-cairn-code')).toBe('INVALID_SIGNATURE')
  expect(await wallet().getCode({ address })).toBeUndefined()
})

test('contract wallets sign in to storage and key nodes with one signature', async () => {
  const plain = createClient({ network: network.profile })
  const address = await deploy(assembleWallet(owner.address))
  const code = assembleWallet(owner.address)
  const later = getContractAddress({ opcode: 'CREATE2', from: deployer, salt: zeroHash, bytecode: code })
  const sign = (message: string) => owner.signMessage({ message })
  const wrap = async (message: string) =>
    serializeErc6492Signature({ address: deployer, data: concat([zeroHash, code]), signature: await sign(message) })
  for (const signer of [
    { address, sign },
    { address: later, sign: wrap },
  ]) {
    const { apiKey, keySession } = await signIn(plain, signer)
    expect(await getUsage({ ...plain, apiKey })).toMatchObject({ usedBytes: 0 })
    expect(keySession?.nodes.filter((node) => node !== null)).toHaveLength(5)
  }
  const stranger = privateKeyToAccount(generatePrivateKey())
  const foreign = { address, sign: (message: string) => stranger.signMessage({ message }) }
  await expect(signIn(plain, foreign)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
})

test('contract wallets open sessions with the key nodes, and hold and share keys there', async () => {
  const plain = createClient({ network: network.profile })
  const address = await deploy(assembleWallet(owner.address))
  const code = assembleWallet(owner.address)
  const later = getContractAddress({ opcode: 'CREATE2', from: deployer, salt: zeroHash, bytecode: code })
  const sign = (message: string) => owner.signMessage({ message })
  const wrap = async (message: string) =>
    serializeErc6492Signature({ address: deployer, data: concat([zeroHash, code]), signature: await sign(message) })
  const keySession = await openKeySession(plain, { address, sign })
  const other = await openKeySession(plain, { address: later, sign: wrap })
  const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const key = prepareKey()
  await saveKey({ ...plain, keySession }, cid, key)
  await shareFile({ ...plain, keySession }, cid, [later])
  expect((await getKey({ ...plain, keySession: other }, cid)).masterKey).toBe(key.masterKey)
  const stranger = privateKeyToAccount(generatePrivateKey())
  await expect(
    openKeySession(plain, { address, sign: (message) => stranger.signMessage({ message }) }),
  ).rejects.toMatchObject({
    code: 'INVALID_SIGNATURE',
  })
})

test('a Coreum and a Solana wallet hold and share keys with an EVM wallet', async () => {
  const plain = createClient({ network: network.profile })
  const [coreumKey, solanaKey] = ['4'.repeat(64), '7'.repeat(64)]
  const coreum = coreumAddress(coreumKey, 'devcore')
  const solana = solanaAddress(solanaKey)
  const first = {
    ...plain,
    keySession: await openKeySession(plain, {
      address: coreum,
      sign: async (text) => signCoreum(coreumKey, 'devcore', text),
    }),
  }
  const second = {
    ...plain,
    keySession: await openKeySession(plain, { address: solana, sign: async (text) => signSolana(solanaKey, text) }),
  }
  const third = {
    ...plain,
    keySession: await openKeySession(plain, {
      address: owner.address,
      sign: (message) => owner.signMessage({ message }),
    }),
  }
  const cid = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const key = prepareKey()
  await saveKey(first, cid, key)
  await expect(getKey(second, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await shareFile(first, cid, [solana])
  expect((await getKey(second, cid)).masterKey).toBe(key.masterKey)
  await transferFile(first, cid, owner.address)
  expect((await getKey(third, cid)).masterKey).toBe(key.masterKey)
})

/** Reverts with the EIP-3668 error for "ask these URLs", in its own name as clients require. */
function assembleLookup(urls: readonly string[]): Hex {
  const data = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address sender, string[] urls, bytes call, bytes4 callback, bytes extra)']),
    args: [`0x${'00'.repeat(20)}`, urls, '0x1234', '0x1626ba7e', '0x'],
  })
  const length = toHex(size(data), { size: 2 })
  const code = ['0x61', length, '0x6012600039', '0x30600452', '0x61', length, '0x6000fd', data] as const
  return deployable(concat(code))
}

/** Code that deploys other code. */
function deployable(runtime: Hex): Hex {
  const length = toHex(size(runtime), { size: 2 })
  return concat(['0x61', length, '0x600e6000', '0x39', '0x61', length, '0x6000f3', runtime])
}

test('a contract that asks for other servers reaches none, from storage or a key node (EIP-3668)', async () => {
  const asked: string[] = []
  const inside = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end('{"data":"0x"}')
  })
  inside.listen(0, '127.0.0.1')
  await once(inside, 'listening')
  try {
    const base = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`
    const address = await deploy(assembleLookup([`${base}/internal/{sender}/{data}`, `${base}/internal-post`]))
    const sign = (message: string) => owner.signMessage({ message })
    // It exists and reverts as intended: a client with CCIP-Read enabled follows it.
    await createPublicClient({ transport: http(rpcUrl) })
      .call({ to: address, data: '0x1626ba7e' })
      .catch(() => undefined)
    expect(asked).toContain(`POST /internal-post`)
    asked.length = 0
    const answer = await createKey(address, sign)
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([401, 'INVALID_SIGNATURE'])
    const plain = createClient({ network: network.profile })
    await expect(openKeySession(plain, { address, sign })).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
    expect(asked).toEqual([])
  } finally {
    inside.close()
    inside.closeAllConnections()
  }
})

test('a contract that burns gas endlessly refuses the signature, at storage and at key nodes', async () => {
  const address = await deploy(deployable('0x5b600056'))
  const sign = (message: string) => owner.signMessage({ message })
  const answer = await createKey(address, sign)
  expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([401, 'INVALID_SIGNATURE'])
  const plain = createClient({ network: network.profile })
  await expect(openKeySession(plain, { address, sign })).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
})

test('asks a hanging endpoint a few questions at a time, and waits for it a few seconds', async () => {
  using endpoint = await serveChain((method) => (method === 'eth_getCode' ? '0x60' : undefined))
  const chains = { Local: { family: 'evm', chainId: 31337, rpcUrls: [endpoint.url], confirmations: 0 } }
  await using slow = await createTestNetwork({
    CAIRN_EVM_RPC_URL: endpoint.url,
    CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }),
  })
  const kept = network
  network = slow
  try {
    const address: Hex = `0x${'12'.repeat(20)}`
    const { api } = slow.profile
    for (let i = 0; i < 15; i++) await fetch(`${api}/api/auth/get_message?publicKey=${address}`)
    const answer = await createKey(address, (message) => owner.signMessage({ message }))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([502, 'UPSTREAM_FAILED'])
    // In sequence, they would take sixteen times the time limit.
    expect(endpoint.requestCounts['eth_call']).toBe(4)
    const plain = createClient({ network: slow.profile, callTimeoutMs: 30_000 })
    const sign = (message: string) => owner.signMessage({ message })
    await expect(openKeySession(plain, { address, sign })).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  } finally {
    network = kept
  }
})

test('a chain that does not answer is UPSTREAM_FAILED, never an accepted signature', async () => {
  await using lost = await createTestNetwork({ CAIRN_EVM_RPC_URL: 'http://127.0.0.1:9' })
  const kept = network
  network = lost
  try {
    const address: Hex = `0x${'12'.repeat(20)}`
    const answer = await createKey(address, (message) => owner.signMessage({ message }))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([502, 'UPSTREAM_FAILED'])
  } finally {
    network = kept
  }
})
