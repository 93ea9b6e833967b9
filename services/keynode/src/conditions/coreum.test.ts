import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { coreumAddress } from '@cairn/crypto'
import { type ConditionSet, isCoreumAddress, parseConditions } from '@cairn/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseChains } from './chains.ts'
import { type Conditions, createConditions } from './evaluate.ts'

// The paths and formats of the chain's published API description; no live node is involved.
const owner = coreumAddress('4'.repeat(64), 'devcore')
const poor = coreumAddress('5'.repeat(64), 'devcore')
const contract = coreumAddress('6'.repeat(64), 'devcore')
const denom = `token-${owner}`
const wealthy = coreumAddress('7'.repeat(64), 'devcore')
const stuck = coreumAddress('8'.repeat(64), 'devcore')
/** The contract's maximum page size, regardless of the request. */
const pageOfContract = 30
const huge = '340282366920938463463374607431768211456'

let server: Server
let url = ''
let conditions: Conditions
const asked: { path: string; height: string | undefined }[] = []

function tokensOf({ owner: of, start_after: after }: { owner: string; start_after?: string }): string[] {
  if (of === stuck) return ['1', '2', '3']
  const count = of === owner ? 70 : of === wealthy ? 5_000 : 0
  // Ids with characters that base64 writes as `/` and `+`.
  const all = Array.from({ length: count }, (_token, at) => `??>>~~${String(at).padStart(5, '0')}`)
  const from = after === undefined ? 0 : all.indexOf(after) + 1
  return all.slice(from, from + pageOfContract)
}

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
    const { tokens } = JSON.parse(Buffer.from(parts[7] ?? '', 'base64').toString())
    return { data: tokens === undefined ? { balance: '9' } : { tokens: tokensOf(tokens) } }
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

const open = (at: string, chainId = 'coreum-devnet-1', { now = () => Date.now(), limits = {} } = {}) =>
  createConditions({
    chains: parseChains(JSON.stringify({ chains: { Coreum_Devnet: { family: 'coreum', rpcUrls: [at], chainId } } })),
    clock: { now },
    limits,
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

test('counts the NFTs of a class, and reads results of contracts', async () => {
  expect(await check({ method: 'getNftsByAddress', classid: 'class-a', ...is('==', '2') })).toBe('true')
  expect(await check({ method: 'getNftsByAddress', classid: 'class-b', ...is('>', '0') })).toBe('false')
  const typed = { contractAddress: contract, parameters: [':userAddress'] }
  expect(
    await check({ ...typed, standardContractType: 'CW20', method: 'getFtsByAddress', denom, ...is('==', '9') }),
  ).toBe('true')
})

test('counts the tokens of a contract page by page, or returns unknown', async () => {
  const tokens = {
    contractAddress: contract,
    parameters: [':userAddress'],
    standardContractType: 'CW721',
    method: 'getNftsByAddress',
    classid: 'class-a',
  }
  expect(await check({ ...tokens, ...is('==', '70') })).toBe('true')
  expect(await check({ ...tokens, ...is('<=', '30') })).toBe('false')
  expect(await check({ ...tokens, ...is('>', '0') }, poor)).toBe('false')
  // More than can be counted: a minimum is proven, an exact number is not.
  expect(await check({ ...tokens, ...is('>=', '1') }, wealthy)).toBe('true')
  expect(await check({ ...tokens, ...is('<=', '300') }, wealthy)).toBe('unknown')
  expect(await check({ ...tokens, ...is('!=', '1') }, stuck)).toBe('unknown')
  expect(asked.some(({ path }) => /smart\/[^/]*(?:%2F|%2B|\+)/i.test(path))).toBe(false)
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

test('sends a text only as one segment of a path, or rejects it', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9/:._-]{2,40}$/),
    fc.constantFrom(
      'http://evil.example/',
      'a/../../b',
      'abc/%2e%2e',
      'abc\\..\\d',
      '@evil.example',
      'abc?height=1',
      'abc#',
    ),
  )
  let reached = 0
  const blocks = '/cosmos/base/tendermint/v1beta1/blocks/latest'
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('denom', 'classid', 'parameters', 'contractAddress'),
      async (value, field) => {
        asked.length = 0
        const method = field === 'classid' ? 'getNftsByAddress' : 'getFtsByAddress'
        const typed = { standardContractType: 'CW20', contractAddress: value, parameters: [':userAddress'], denom }
        const given = field === 'parameters' ? { parameters: [value], denom } : { [field]: value }
        const condition = { method, ...(field === 'contractAddress' ? typed : given), ...is('>=', '0') }
        let set: ConditionSet | undefined
        try {
          set = setOf(condition)
          await conditions.validateOnCreate(set)
        } catch {
          set = undefined
        }
        if (set !== undefined) await conditions.check(set, owner)
        const of = encodeURIComponent(field === 'parameters' && isCoreumAddress(value) ? value.toLowerCase() : owner)
        const one = encodeURIComponent(value)
        const allowed = [
          blocks,
          `/cosmos/bank/v1beta1/balances/${of}/by_denom?denom=${field === 'denom' ? one : encodeURIComponent(denom)}`,
          `/cosmos/nft/v1beta1/balance/${of}/${one}`,
        ]
        for (const { path } of asked) expect(allowed).toContain(path)
        reached += asked.filter(({ path }) => path !== blocks).length
      },
    ),
  )
  expect(reached).toBeGreaterThan(0)
})

test('the address in a key request does not reach a URL either', async () => {
  const set = setOf({ method: 'getFtsByAddress', denom, parameters: [':who'], ...is('>=', '0') })
  asked.length = 0
  for (const who of ['../../../admin', `${owner}/../x`, `${owner}?denom=x`, `http://evil.example/${owner}`])
    expect((await conditions.check(set, owner, { '1.who': who })).isMet).toBe('false')
  expect(asked.filter(({ path }) => path.includes('balances'))).toEqual([])
})

test('rejects a number outside the range of the reading when the condition is set', async () => {
  const fungible = { standardContractType: '', method: 'getFtsByAddress', denom }
  for (const test of [is('>=', '-1'), is('!=', '-1'), is('<', '0')]) {
    await expect(conditions.validateOnCreate(setOf({ ...fungible, ...test }))).rejects.toMatchObject({
      code: 'INVALID_CONDITION',
      message: expect.stringContaining('Condition validation error: "returnValueTest" of condition 1'),
    })
  }
  expect(await conditions.validateOnCreate(setOf({ ...fungible, ...is('>=', '0') }))).toEqual([1])
})

test('rejects an impossible reading when the condition is set', async () => {
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

test('never grants access by an endpoint of another chain, an unreachable one, or an address of another family', async () => {
  const set = setOf({ method: 'getLastBlockTime', ...is('>', '0') })
  expect((await open(url, 'coreum-mainnet-1').check(set, owner)).isMet).toBe('unknown')
  expect((await open('http://127.0.0.1:9').check(set, owner)).isMet).toBe('unknown')
  expect(await check({ method: 'getFtsByAddress', denom, ...is('>=', '0') }, `0x${'1'.repeat(40)}`)).toBe('false')
})

test('treats a slow, oversized, malformed or lagging endpoint as unknown, including for denials', async () => {
  const sets = [is('>=', '0'), is('!=', '5')].map((test) => setOf({ method: 'getFtsByAddress', denom, ...test }))
  const late = { now: () => Date.now() + 3_600_000 }
  for (const set of sets) expect((await open(url, undefined, late).check(set, owner)).isMet).toBe('unknown')
  const block = JSON.stringify(answer('/cosmos/base/tendermint/v1beta1/blocks/latest'))
  const amounts = ['-1', '1.5', '1e3', '', '0x10', 7, null]
  const bodies = ['<html>', '[]', 'null', `"${'x'.repeat(3_000_000)}"`, undefined]
  for (const body of [...bodies, ...amounts.map((amount) => JSON.stringify({ balance: { denom, amount } }))]) {
    const bad = createServer((request, response) => {
      if (request.url?.endsWith('/latest')) response.end(block)
      // Without a body the endpoint never answers.
      else if (body !== undefined) response.end(body)
    })
    await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve))
    try {
      const at = `http://127.0.0.1:${(bad.address() as AddressInfo).port}`
      const limits = body === undefined ? { callMs: 100, totalMs: 200 } : {}
      for (const set of sets) expect((await open(at, undefined, { limits }).check(set, owner)).isMet).toBe('unknown')
    } finally {
      bad.closeAllConnections()
      bad.close()
    }
  }
})
