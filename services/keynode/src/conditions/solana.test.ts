import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { solanaAddress } from '@cairn/crypto'
import { type ConditionSet, parseConditions } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseChains } from './chains.ts'
import { type Conditions, createConditions } from './evaluate.ts'
import { startTestSolana, type TestSolana } from './solana-network.fixture.ts'

const owner = solanaAddress('7'.repeat(64))
const poor = solanaAddress('8'.repeat(64))
const mint = solanaAddress('9'.repeat(64))
const otherMint = solanaAddress('d'.repeat(64))
const clock = { now: () => Date.now() }

let chain: TestSolana
let conditions: Conditions

const openConditions = (url: string, chainId?: string, { now = clock.now, limits = {} } = {}) =>
  createConditions({
    chains: parseChains(
      JSON.stringify({
        chains: {
          DEVNET: { family: 'solana', rpcUrls: [url], chainId: chainId ?? 'any', maxBlockAgeSeconds: 900 },
        },
      }),
    ),
    clock: { now },
    limits,
    rateFactor: 0,
  })

beforeAll(async () => {
  chain = await startTestSolana()
  chain.setBalance(owner, 2n ** 60n)
  // The endpoint lists them by address.
  const [first = '', second = ''] = [solanaAddress('a'.repeat(64)), solanaAddress('b'.repeat(64))].sort()
  chain.setTokens(first, mint, owner, 2n ** 60n)
  chain.setTokens(second, mint, owner, 5n)
  chain.setTokens(solanaAddress('c'.repeat(64)), otherMint, owner, 77n)
  conditions = openConditions(chain.url, chain.genesisHash)
})
afterAll(() => chain?.[Symbol.asyncDispose]())

function setOf(condition: Record<string, unknown>): ConditionSet {
  return parseConditions({
    chainType: 'solana',
    conditions: [
      { id: 1, chain: 'devnet', standardContractType: '', pdaInterface: { offset: 0, selector: '' }, ...condition },
    ],
  })
}
const check = async (condition: Record<string, unknown>, who = owner) =>
  (await conditions.check(setOf(condition), who)).isMet
const is = (comparator: string, value: string) => ({ returnValueTest: { comparator, value } })

describe('Solana', () => {
  test('reads lamports beyond what a JSON number holds, exactly', async () => {
    expect(await check({ method: 'getBalance', ...is('==', String(2n ** 60n)) })).toBe('true')
    expect(await check({ method: 'getBalance', ...is('>', String(2n ** 60n)) })).toBe('false')
    expect(await check({ method: 'getBalance', parameters: [poor], ...is('>', '0') })).toBe('false')
    expect(await check({ method: 'getBalance', ...is('>', '0') }, poor)).toBe('false')
  })

  test('reads height and time of the newest final block', async () => {
    expect(await check({ method: 'getBlockHeight', ...is('>=', '0') })).toBe('true')
    expect(await check({ method: 'getLastBlockTime', ...is('>', '1600000000') })).toBe('true')
    expect(await check({ method: 'getLastBlockTime', ...is('>', '9600000000') })).toBe('false')
  })

  test('adds up the tokens of a mint over all accounts of an owner, and of no other mint', async () => {
    const tokens = {
      method: 'getTokenAccountsByOwner',
      standardContractType: 'spl-token',
      contractAddress: mint,
      parameters: [':userAddress'],
    }
    expect(await check({ ...tokens, ...is('==', String(2n ** 60n + 5n)) })).toBe('true')
    expect(await check({ ...tokens, ...is('>', '0') }, poor)).toBe('false')
    // As the published documentation writes it.
    const published = { ...tokens, pdaInterface: { selector: 'amount', offset: '0' } }
    const exact = { ...published, ...is('==', String(2n ** 60n + 5n)) }
    expect(await check(exact)).toBe('true')
    expect(await check({ ...published, ...is('>=', '1') }, poor)).toBe('false')
    await expect(conditions.validateOnCreate(setOf(exact))).resolves.toBeDefined()
    const field = { ...tokens, pdaInterface: { offset: 64, selector: 'u64' } }
    expect(await check({ ...field, ...is('==', String(2n ** 60n + 5n)) })).toBe('true')
    const path = { ...tokens, pdaInterface: { offset: 1, selector: 'account.data.parsed.info.tokenAmount.amount' } }
    expect(await check({ ...path, ...is('==', '5') })).toBe('true')
    const first = { ...path.pdaInterface, offset: 0 }
    expect(await check({ ...path, pdaInterface: first, ...is('==', String(2n ** 60n)) })).toBe('true')
    expect(await check({ ...path, pdaInterface: { ...path.pdaInterface, offset: 9 }, ...is('>=', '0') })).toBe('false')
    const key = { ...tokens, contractAddress: otherMint, pdaInterface: { offset: 32, selector: 'pubkey' } }
    expect(await check({ ...key, ...is('==', owner) })).toBe('true')
    expect(await check({ ...key, ...is('!=', owner) })).toBe('false')
    // A field of a missing account is a no, regardless of the comparator.
    for (const comparator of ['==', '!=', '<='])
      expect(await check({ ...field, ...is(comparator, '0') }, poor)).toBe('false')
    const beyond = { ...tokens, pdaInterface: { offset: 160, selector: 'u64' } }
    expect(await check({ ...beyond, ...is('>=', '0') })).toBe('unknown')
  })

  test('an address of another family never grants access, and neither does its denial', async () => {
    const balance = { method: 'getBalance', ...is('>=', '0') }
    expect(await check(balance, `0x${'1'.repeat(40)}`)).toBe('false')
    const holder = {
      method: 'getTokenAccountsByOwner',
      standardContractType: 'spl-token',
      contractAddress: otherMint,
      parameters: [owner],
      pdaInterface: { offset: 32, selector: 'pubkey' },
      ...is('!=', ':userAddress'),
    }
    expect(await check(holder, poor)).toBe('true')
    expect(await check(holder, `0x${'1'.repeat(40)}`)).toBe('false')
  })

  test('a foreign, unreachable or malformed endpoint is unknown, and never grants access', async () => {
    const set = setOf({ method: 'getBalance', ...is('>=', '0') })
    expect((await openConditions(chain.url, 'another').check(set, owner)).isMet).toBe('unknown')
    expect((await openConditions('http://127.0.0.1:9', chain.genesisHash).check(set, owner)).isMet).toBe('unknown')
    for (const body of [
      '<html>',
      '{"jsonrpc":"2.0","id":1,"result":{"value":"x"}}',
      '[]',
      `"${'x'.repeat(3_000_000)}"`,
    ]) {
      const server: Server = createServer((_request, response) => response.end(body))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        expect((await openConditions(url, chain.genesisHash).check(set, owner)).isMet).toBe('unknown')
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }
  })

  test('a lagging or silent endpoint is unknown, including for denials', async () => {
    const silent: Server = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const slow = openConditions(url, chain.genesisHash, { limits: { callMs: 100, totalMs: 200 } })
      const late = openConditions(chain.url, chain.genesisHash, { now: () => Date.now() + 3_600_000 })
      for (const test of [is('>=', '0'), is('!=', '5')]) {
        const set = setOf({ method: 'getBalance', ...test })
        expect((await slow.check(set, owner)).isMet).toBe('unknown')
        expect((await late.check(set, owner)).isMet).toBe('unknown')
      }
    } finally {
      silent.closeAllConnections()
      silent.close()
    }
  })

  test('an endpoint behind the one whose age was checked does not decide', async () => {
    const now = Math.floor(Date.now() / 1000)
    const behind = 9_000
    const servers: Server[] = []
    /** Returns the age of the newest block, and a balance unless the required slot is newer. */
    const startEndpoint = async (slot: number, time: number, balance: number | undefined): Promise<string> => {
      const server = createServer(async (request, response) => {
        let text = ''
        for await (const piece of request) text += piece
        const { method, params } = JSON.parse(text)
        const { minContextSlot = 0 } = params.at(-1) ?? {}
        const head: Record<string, unknown> = { getGenesisHash: 'any', getSlot: slot, getBlockTime: time }
        const isBehind = minContextSlot > slot
        const answer = isBehind
          ? { error: { code: -32016, message: 'Minimum context slot has not been reached' } }
          : { result: head[method] ?? { context: { slot }, value: balance } }
        if (head[method] === undefined && balance === undefined) response.statusCode = 429
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const check = (rpcUrls: string[]) =>
      createConditions({
        chains: parseChains(
          JSON.stringify({
            chains: { DEVNET: { family: 'solana', rpcUrls, chainId: 'any', maxBlockAgeSeconds: 900 } },
          }),
        ),
        clock,
        rateFactor: 0,
      }).check(setOf({ method: 'getBalance', ...is('>=', '5') }), owner)
    try {
      const busy = await startEndpoint(100_000, now, undefined)
      // The balance of an hour ago.
      const late = await startEndpoint(100_000 - behind, now - 3_600, 5)
      expect((await check([busy, late])).isMet).toBe('unknown')
      const near = await startEndpoint(99_990, now - 4, 5)
      expect((await check([busy, near])).isMet).toBe('true')
    } finally {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    }
  })

  test('unrequested or truncated accounts are unknown, never none', async () => {
    const other = Buffer.alloc(165, 1).toString('base64')
    for (const data of [
      [other, 'base64'],
      [other.slice(0, 40), 'base64'],
      ['', 'base64'],
      [other, 'base58'],
      {},
      null,
    ]) {
      const answer = { getSlot: 7, getBlockTime: Math.floor(Date.now() / 1000), getGenesisHash: chain.genesisHash }
      const server: Server = createServer(async (request, response) => {
        let text = ''
        for await (const piece of request) text += piece
        const { method } = JSON.parse(text)
        const result = Object.entries(answer).find(([name]) => name === method)?.[1] ?? {
          value: [{ account: { data } }],
        }
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        for (const test of [is('>=', '0'), is('<=', '5'), is('!=', '9')]) {
          const set = setOf({
            method: 'getTokenAccountsByOwner',
            standardContractType: 'spl-token',
            contractAddress: mint,
            ...test,
          })
          expect((await openConditions(url, chain.genesisHash).check(set, owner)).isMet).toBe('unknown')
        }
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }
  })

  test.each(['u256', 'U64', 'i128', 'value.0', 'account', 'account.', 'account.data[0]', 'constructor'])(
    'rejects an unreadable selector %j when the condition is set',
    async (selector) => {
      const set = setOf({
        method: 'getTokenAccountsByOwner',
        standardContractType: 'spl-token',
        contractAddress: mint,
        pdaInterface: { selector },
        ...is('==', '1'),
      })
      await expect(conditions.validateOnCreate(set)).rejects.toMatchObject({
        code: 'INVALID_CONDITION',
        message: expect.stringContaining('pdaInterface.selector'),
      })
    },
  )

  test('rejects a number outside the range of the reading when the condition is set; a field may be negative', async () => {
    const below = is('>=', '-1')
    await expect(conditions.validateOnCreate(setOf({ method: 'getBalance', ...below }))).rejects.toMatchObject({
      code: 'INVALID_CONDITION',
      message: expect.stringContaining('"returnValueTest" of condition 1'),
    })
    const field = { standardContractType: 'spl-token', method: 'getTokenAccountsByOwner', contractAddress: mint }
    const set = setOf({ ...field, pdaInterface: { selector: 'i64', offset: 64 }, ...below })
    expect(await conditions.validateOnCreate(set)).toEqual([])
    expect(await conditions.validateOnCreate(setOf({ method: 'getBlockHeight', ...is('>=', '0') }))).toEqual([1])
  })

  test('rejects an invalid address when the condition is set', async () => {
    const set = setOf({ method: 'getBalance', parameters: ['not an address'], ...is('>=', '0') })
    await expect(conditions.validateOnCreate(set)).rejects.toMatchObject({ code: 'INVALID_CONDITION' })
  })
})
