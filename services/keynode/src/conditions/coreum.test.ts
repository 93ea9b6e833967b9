import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { coreumAddress } from '@cairn/crypto'
import { type ConditionSet, parseConditions } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseChains } from './chains.ts'
import { type Conditions, createConditions } from './evaluate.ts'

// The paths and forms of the chain's published API description; no live node stands behind them.
const owner = coreumAddress('4'.repeat(64), 'devcore')
const poor = coreumAddress('5'.repeat(64), 'devcore')
const contract = coreumAddress('6'.repeat(64), 'devcore')
const denom = `token-${owner}`
const huge = '340282366920938463463374607431768211456'

let server: Server
let url = ''
let conditions: Conditions
const asked: { path: string; height: string | undefined }[] = []

function answer(path: string): unknown {
  const [route = '', query = ''] = path.split('?')
  const parts = route.split('/').map(decodeURIComponent)
  if (route === '/cosmos/base/tendermint/v1beta1/blocks/latest')
    return { block: { header: { height: '1234', time: new Date().toISOString(), chain_id: 'coreum-devnet-1' } } }
  if (route.startsWith('/cosmos/bank/v1beta1/balances/') && new URLSearchParams(query).get('denom') === denom)
    return { balance: { denom, amount: parts[5] === owner ? huge : '0' } }
  if (route.startsWith('/cosmos/nft/v1beta1/balance/'))
    return { amount: parts[5] === owner && parts[6] === 'class-a' ? '2' : '0' }
  if (route.startsWith('/cosmwasm/wasm/v1/contract/')) {
    const asking: unknown = JSON.parse(Buffer.from(parts[7] ?? '', 'base64').toString())
    return { data: JSON.stringify(asking).includes('tokens') ? { tokens: ['1', '2', '3'] } : { balance: '9' } }
  }
  return undefined
}

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const height = request.headers['x-cosmos-block-height']
    asked.push({ path: request.url ?? '', height: typeof height === 'string' ? height : undefined })
    const body = answer(request.url ?? '')
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { code: 5, message: 'Not Found', details: [] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  conditions = open(url)
})
afterAll(() => {
  server?.closeAllConnections()
  server?.close()
})

const open = (at: string, chainId = 'coreum-devnet-1') =>
  createConditions({
    chains: parseChains(JSON.stringify({ chains: { Coreum_Devnet: { family: 'coreum', rpcUrls: [at], chainId } } })),
    clock: { now: () => Date.now() },
    log: { warn: () => undefined },
    rateFactor: 0,
  })
const setOf = (condition: Record<string, unknown>): ConditionSet =>
  parseConditions({
    chainType: 'coreum',
    conditions: [{ id: 1, chain: 'coreum_devnet', standardContractType: '', ...condition }],
  })
const check = async (condition: Record<string, unknown>, who = owner) =>
  (await conditions.check(setOf(condition), who)).isMet
const is = (comparator: string, value: string) => ({ returnValueTest: { comparator, value } })

test('reads coins of a denomination exactly, at one height', async () => {
  asked.length = 0
  expect(await check({ method: 'getFtsByAddress', denom, ...is('==', huge) })).toBe('true')
  expect(await check({ method: 'getFtsByAddress', denom, ...is('>', huge) })).toBe('false')
  expect(await check({ method: 'getFtsByAddress', denom, ...is('>', '0') }, poor)).toBe('false')
  const reads = asked.filter(({ path }) => path.includes('/balances/'))
  expect(reads.length).toBeGreaterThan(0)
  for (const { height } of reads) expect(height).toBe('1234')
})

test('counts the NFTs of a class, and what contracts say', async () => {
  expect(await check({ method: 'getNftsByAddress', classid: 'class-a', ...is('==', '2') })).toBe('true')
  expect(await check({ method: 'getNftsByAddress', classid: 'class-b', ...is('>', '0') })).toBe('false')
  const typed = { contractAddress: contract, parameters: [':userAddress'] }
  expect(
    await check({ ...typed, standardContractType: 'CW20', method: 'getFtsByAddress', denom, ...is('==', '9') }),
  ).toBe('true')
  expect(
    await check({
      ...typed,
      standardContractType: 'CW721',
      method: 'getNftsByAddress',
      classid: 'class-a',
      ...is('==', '3'),
    }),
  ).toBe('true')
})

test('reads the time of the newest block', async () => {
  expect(await check({ method: 'getLastBlockTime', ...is('>', '1600000000') })).toBe('true')
  expect(await check({ method: 'getLastBlockTime', ...is('>', '9600000000') })).toBe('false')
})

test.each(['../../admin', 'a/../../b', 'x?y=1', 'x#y', 'x y', '%2e%2e/', 'a'])(
  'a denomination of %j never reaches a URL',
  (bad) => {
    expect(() => setOf({ method: 'getFtsByAddress', denom: bad, ...is('>', '0') })).toThrow(
      /Condition validation error/,
    )
  },
)

test('what could never be read is refused when it is set', async () => {
  const typed = { contractAddress: contract, parameters: [':userAddress'], denom }
  for (const bad of [
    { ...typed, standardContractType: 'ERC20', method: 'getFtsByAddress' },
    { ...typed, standardContractType: 'CW721', method: 'getFtsByAddress' },
    { ...typed, standardContractType: 'CW20', method: 'getFtsByAddress', contractAddress: 'abc' },
    { standardContractType: '', method: 'getFtsByAddress', denom, parameters: ['nobody'] },
  ]) {
    await expect(conditions.validateOnCreate(setOf({ ...bad, ...is('>', '0') }))).rejects.toMatchObject({
      code: 'INVALID_CONDITION',
    })
  }
})

test('an endpoint of another chain, a dead one, and an address of another family are never met', async () => {
  const set = setOf({ method: 'getLastBlockTime', ...is('>', '0') })
  expect((await open(url, 'coreum-mainnet-1').check(set, owner)).isMet).toBe('unknown')
  expect((await open('http://127.0.0.1:9').check(set, owner)).isMet).toBe('unknown')
  expect(await check({ method: 'getFtsByAddress', denom, ...is('>=', '0') }, `0x${'1'.repeat(40)}`)).toBe('false')
})
