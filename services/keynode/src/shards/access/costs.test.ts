// The caller pays for the queries that its call causes.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deriveNodeKeys } from '../../identity.ts'
import { publicKeyOf } from '../../sessions/tokens.ts'
import { callAs, createTestWallet, openTestSession, startTestNode } from '../../test-node.fixture.ts'
import { readConditions } from '../changes/conditions-of.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const payload = { key: '1', index: '1' }

/** Simulates peers and a chain; counts requests and returns nothing useful. */
let asked = 0
const server = createServer((request, response) => {
  asked++
  request.resume()
  response.writeHead(500).end('{}')
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('queries peers about a file only for callers that may know of it', async () => {
  const publicKey = publicKeyOf(deriveNodeKeys(Buffer.alloc(32, 2)).signing)
  const peers = [2, 3, 4].map((node) => `${node}=${url}#${publicKey}`).join(',')
  await using node = await startTestNode({ CAIRN_KEYNODE_PEERS: peers })
  const owner = await openTestSession(node)
  const stranger = await openTestSession(node)
  asked = 0
  expect((await callAs(node, owner, 'POST', '/api/setSharedKey/1', { cid, payload })).status).toBe(200)
  expect((await callAs(node, stranger, 'GET', `/api/keys/status/1/${cid}`)).code).toBe('ACCESS_DENIED')
  expect(asked).toBe(0)
  expect((await callAs(node, owner, 'GET', `/api/keys/status/1/${cid}`)).status).toBe(200)
  expect(asked).toBe(3)
})

test('waits for the disk once per change', async () => {
  // Nothing else is written.
  const background = () => ({ [Symbol.asyncDispose]: async () => undefined })
  await using node = await startTestNode({}, { background })
  const owner = await openTestSession(node)
  // Field `iChange` of the WAL index header, incremented by each commit: https://sqlite.org/walformat.html
  const commits = () => readFileSync(join(node.home, 'keynode.sqlite-shm')).readUInt32LE(8)
  const shareTo = [`0x${'7'.repeat(40)}`]
  for (const [method, body] of [
    ['POST', { payload }],
    ['PUT', { shareTo }],
    ['DELETE', { revokeTo: shareTo }],
  ] as const) {
    const before = commits()
    expect((await callAs(node, owner, method, '/api/setSharedKey/1', { cid, ...body })).status).toBe(200)
    expect(commits() - before, method).toBe(1)
  }
})

test('queries chains about conditions only for callers that may set them', async () => {
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: [url], confirmations: 0 } }
  await using node = await startTestNode({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }) })
  const owner = await openTestSession(node)
  const stranger = await openTestSession(node)
  await callAs(node, owner, 'POST', '/api/setSharedKey/1', { cid, payload })
  const conditions = [
    {
      id: 1,
      chain: 'local',
      method: 'balanceOf',
      standardContractType: 'ERC20',
      contractAddress: `0x${'1'.repeat(40)}`,
      parameters: [':userAddress'],
      returnValueTest: { comparator: '>=', value: '1' },
    },
  ]
  asked = 0
  for (const [method, body] of [
    ['PUT', { cid, conditions }],
    ['POST', { cid, conditions, payload }],
  ] as const)
    expect((await callAs(node, stranger, method, '/api/fileAccessConditions/1', body)).code).toBe('ACCESS_DENIED')
  expect(asked).toBe(0)
  const tried = await callAs(node, owner, 'PUT', '/api/fileAccessConditions/1', { cid, conditions })
  expect([tried.code, asked > 0]).toEqual(['CONDITION_UNKNOWN', true])
})

test('checking the access of another account uses none of its evaluations', async () => {
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: [url], confirmations: 0 } }
  const environment = { CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }), CAIRN_RATE_FACTOR: '1' }
  await using node = await startTestNode(environment)
  const owner = await openTestSession(node)
  const friend = await openTestSession(node)
  await callAs(node, owner, 'POST', '/api/fileAccessConditions/1', { cid, payload, conditions })
  const explain = () => callAs(node, owner, 'POST', '/api/keys/explain/1', { cid, about: friend.address })
  for (let calls = 0; calls < 10; calls++) expect((await explain()).status).toBe(200)
  expect((await explain()).code).toBe('RATE_LIMITED')
  expect((await callAs(node, friend, 'POST', '/api/retrieveSharedKey/1', { cid })).code).toBe('CONDITION_UNKNOWN')
})

test('tests conditions before it saves them, within the evaluations of the caller; rejects bad ones and unknown chains', async () => {
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: [url], confirmations: 0 } }
  const environment = { CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }), CAIRN_RATE_FACTOR: '1' }
  await using node = await startTestNode(environment)
  const writer = await openTestSession(node)
  const reader = await openTestSession(node)
  const condition = {
    id: 1,
    chain: 'local',
    method: 'getBlockNumber',
    standardContractType: '',
    returnValueTest: { comparator: '>=', value: '1' },
  }
  const path = '/api/keys/explain-conditions/1'
  const explain = (body: Record<string, unknown>) => callAs(node, writer, 'POST', path, { ...body })
  // No chain is queried for conditions that could never be saved.
  asked = 0
  expect((await explain({ conditions: [{ ...condition, chain: 'Elsewhere' }] })).code).toBe('CHAIN_NOT_SUPPORTED')
  expect((await explain({ conditions: [{ ...condition, id: 'x' }] })).code).toBe('INVALID_CONDITION')
  expect((await explain({ conditions: [] })).code).toBe('INVALID_CONDITION')
  const wrong = { ...condition, returnValueTest: { comparator: '>=', value: 'true' } }
  expect((await explain({ conditions: [wrong] })).code).toBe('INVALID_CONDITION')
  expect((await explain({ conditions: [condition], address: reader.address })).status).toBe(401)
  expect(asked).toBe(0)
  // This chain does not answer, so the result is unknown.
  const tried = await explain({ conditions: [condition], about: reader.address })
  expect(tried.json).toMatchObject({ isAllowed: false, by: 'none', conditions: [{ id: 1, result: 'unknown' }] })
  let last = tried
  for (let calls = 0; calls < 10 && last.status === 200; calls++) last = await explain({ conditions: [condition] })
  expect(last.code).toBe('RATE_LIMITED')
  expect((await callAs(node, reader, 'POST', path, { conditions: [condition] })).status).toBe(200)
})

/** Conditions for which no contract is looked up. */
const conditions = [
  {
    id: 1,
    chain: 'local',
    method: 'getBlockNumber',
    standardContractType: '',
    returnValueTest: { comparator: '>=', value: '1' },
  },
]

test('counts evaluations for the IP address of the client, whichever accounts it uses', async () => {
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: [url], confirmations: 0 } }
  await using node = await startTestNode({
    CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }),
    CAIRN_RATE_FACTOR: '1',
    CAIRN_TRUSTED_PROXIES: '127.0.0.1',
  })
  const owner = await openTestSession(node)
  await callAs(node, owner, 'POST', '/api/fileAccessConditions/1', { cid, payload, conditions })
  const retrieve = async (session: typeof owner, headers: Record<string, string> = {}) => {
    const { address, token, sessionKey } = session
    const options = { body: { address, cid }, token, sessionKey, headers }
    return (await node.call('POST', '/api/retrieveSharedKey/1', options)).code
  }
  for (let accounts = 0; accounts < 10; accounts++) {
    const reader = await openTestSession(node)
    for (let calls = 0; calls < 10; calls++) expect(await retrieve(reader)).toBe('CONDITION_UNKNOWN')
  }
  const reader = await openTestSession(node)
  expect(await retrieve(reader)).toBe('RATE_LIMITED')
  const elsewhere = { 'x-forwarded-for': '203.0.113.7' }
  expect(await retrieve(reader, elsewhere)).toBe('CONDITION_UNKNOWN')
  // The owner needs no chain.
  expect(await retrieve(owner)).toBeNull()
  const explain = await callAs(node, reader, 'POST', '/api/keys/explain-conditions/1', { conditions })
  expect(explain.code).toBe('RATE_LIMITED')
})

test('counts new conditions for the IP address of the client', async () => {
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: [url], confirmations: 0 } }
  await using node = await startTestNode({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }), CAIRN_RATE_FACTOR: '1' })
  const set = (ip: string) => {
    const { address } = createTestWallet()
    const caller = { address, challengeId: 'c', sessionId: 's', isBound: true, peer: undefined }
    return readConditions(node.context, { caller, cid, ip }, { conditions })
  }
  for (let calls = 0; calls < 300; calls++) await set('192.0.2.1')
  await expect(set('192.0.2.1')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await set('192.0.2.2')
})
