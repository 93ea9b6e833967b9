import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { solanaAddress } from '@cairn/crypto'
import { type ConditionSet, parseConditions } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseChains } from './chains.ts'
import { type Conditions, createConditions } from './evaluate.ts'
import { startSolana, type TestSolana } from './solana-network.fixture.ts'

const owner = solanaAddress('7'.repeat(64))
const poor = solanaAddress('8'.repeat(64))
const mint = solanaAddress('9'.repeat(64))
const clock = { now: () => Date.now() }
const log = { warn: () => undefined }

let chain: TestSolana
let conditions: Conditions

const openConditions = (url: string, chainId?: string) =>
  createConditions({
    chains: parseChains(
      JSON.stringify({
        chains: {
          DEVNET: { family: 'solana', rpcUrls: [url], ...(chainId === undefined ? { chainId: 'any' } : { chainId }) },
        },
      }),
    ),
    clock,
    log,
    rateFactor: 0,
  })

beforeAll(async () => {
  chain = await startSolana()
  chain.setBalance(owner, 2n ** 60n)
  chain.setTokens(solanaAddress('a'.repeat(64)), mint, owner, 2n ** 60n)
  chain.setTokens(solanaAddress('b'.repeat(64)), mint, owner, 5n)
  chain.setTokens(solanaAddress('c'.repeat(64)), solanaAddress('d'.repeat(64)), owner, 77n)
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
    const field = { ...tokens, pdaInterface: { offset: 64, selector: 'u64' } }
    expect(await check({ ...field, ...is('==', String(2n ** 60n + 5n)) })).toBe('true')
    const path = { ...tokens, pdaInterface: { offset: 1, selector: 'account.data.parsed.info.tokenAmount.amount' } }
    expect(['true', 'false']).toContain(await check({ ...path, ...is('==', '5') }))
    expect(await check({ ...path, pdaInterface: { ...path.pdaInterface, offset: 9 }, ...is('>=', '0') })).toBe('false')
    const beyond = { ...tokens, pdaInterface: { offset: 160, selector: 'u64' } }
    expect(await check({ ...beyond, ...is('>=', '0') })).toBe('unknown')
  })

  test('an address of another family is never met, and denying it neither', async () => {
    const balance = { method: 'getBalance', ...is('>=', '0') }
    expect(await check(balance, `0x${'1'.repeat(40)}`)).toBe('false')
  })

  test('an endpoint of another chain, one that is dead, and one that answers rubbish are unknown, never met', async () => {
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

  test('an address that is none is refused when the condition is set', async () => {
    const set = setOf({ method: 'getBalance', parameters: ['not an address'], ...is('>=', '0') })
    await expect(conditions.validateOnCreate(set)).rejects.toMatchObject({ code: 'INVALID_CONDITION' })
  })
})
