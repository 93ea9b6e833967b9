// Whole condition sets: combined, limited, validated when they are set, and with chains that do not answer.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CairnError, parseConditions } from '@cairn/protocol'
import type { Anvil } from '@cairn/service/anvil-fixture'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseChains } from './chains.ts'
import { createConditions } from './evaluate.ts'
import { checkAll, common, compared, type EvmNetwork, startEvmNetwork } from './evm-network.fixture.ts'

let network: EvmNetwork
let anvil: Anvil
let holder: Hex
let stranger: Hex
let erc20: EvmNetwork['erc20']
let custom: EvmNetwork['custom']
let open: EvmNetwork['open']
let check: EvmNetwork['check']

beforeAll(async () => {
  network = await startEvmNetwork()
  ;({ anvil, holder, stranger, erc20, custom, open, check } = network)
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
})

async function refusalOf(promise: Promise<unknown>): Promise<CairnError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!CairnError.is(error)) throw new Error('was not refused')
  return error
}

describe('combining', () => {
  const holds = () => custom('seven', 'uint256', { id: 1, ...compared('==', 7) })
  const fails = () => custom('seven', 'uint256', { id: 2, ...compared('!=', 7) })
  const silent = () => custom('two', 'uint256', { id: 3, ...compared('!=', 7) })
  test.each([
    ['[1] and [2] or [3]', 'unknown'],
    ['[1] or [2] or [3]', 'true'],
    ['[1] and [2] and [3]', 'false'],
    ['[1] and ![2] and [3]', 'unknown'],
    ['([1] or [3]) and ![2]', 'true'],
  ])('%s is %s', async (aggregator, expected) => {
    const { conditions } = open()
    expect((await checkAll(conditions, [holds(), fails(), silent()], aggregator, holder)).isMet).toBe(expected)
  })

  test('evaluates cheap conditions before expensive ones are read', async () => {
    const gate = { ...common, id: 2, method: 'getBlockNumber', standardContractType: '', ...compared('<', '0') }
    const { conditions } = open()
    const { isMet, results } = await checkAll(conditions, [erc20(), gate], '[1] and [2]', holder)
    expect([isMet, results.map(({ id }) => id)]).toEqual(['false', [2]])
  })

  test('shows the author of conditions the result of each, even of those that do not affect the outcome', async () => {
    const { conditions } = open()
    const gate = { ...common, id: 2, method: 'getBlockNumber', standardContractType: '', ...compared('<', '1') }
    const set = parseConditions({ conditions: [holds(), gate], aggregator: '[1] and [2]' })
    const { isMet, results } = await conditions.explain(set, holder, {}, undefined, stranger)
    expect([isMet, results.map(({ id, result, observed }) => [id, result, typeof observed])]).toEqual([
      'false',
      [
        [1, 'true', 'string'],
        [2, 'false', 'string'],
      ],
    ])
    const strange = parseConditions({ conditions: [{ ...gate, chain: 'Elsewhere' }] })
    expect((await refusalOf(conditions.explain(strange, holder, {}, undefined, stranger))).code).toBe(
      'CHAIN_NOT_SUPPORTED',
    )
  })

  test('allows ten evaluations per minute and address', async () => {
    const { conditions, pass } = open()
    const set = parseConditions({ conditions: [holds()] })
    for (let turn = 0; turn < 10; turn++) await conditions.check(set, holder)
    const error = await refusalOf(conditions.check(set, holder))
    expect([error.code, error.retryAfterSeconds]).toEqual(['RATE_LIMITED', 60])
    expect((await conditions.check(set, stranger)).isMet).toBe('true')
    pass()
    expect((await conditions.check(set, holder)).isMet).toBe('true')
  })
})

describe('the caller and the parameters', () => {
  test('the condition types values of the request, and no type lets a denial pass', async () => {
    const dynamic = custom('many', 'uint256[]', {
      inputArrayType: ['uint256'],
      parameters: [':count'],
      ...compared('==', 0),
    })
    expect((await check(dynamic, holder, { '1.count': '2' })).isMet).toBe('true')
    for (const data of [{}, { '1.count': 'x' }, { '1.count': -1 }, { '1.count': [1] }]) {
      expect((await check(dynamic, holder, data)).isMet).toBe('false')
      const { conditions } = open()
      const denied = await checkAll(conditions, [dynamic], '![1]', holder, data)
      expect([denied.isMet, denied.first?.result]).toEqual(['false', 'unknown'])
    }
  })

  test('an address of another chain meets neither a condition nor its denial', async () => {
    const solana = 'So11111111111111111111111111111111111111112'
    const { conditions } = open()
    for (const aggregator of ['[1]', '![1]']) {
      expect((await checkAll(conditions, [erc20()], aggregator, solana)).isMet).toBe('false')
    }
    // Conditions that do not refer to the caller are read for any caller.
    expect((await checkAll(conditions, [custom('small', 'int8', compared('==', -5))], '', solana)).isMet).toBe('true')
  })
})

describe('setting conditions', () => {
  const validate = (list: object[], aggregator = '') =>
    open().conditions.validateOnCreate(parseConditions({ conditions: list, aggregator }))

  test('accepts valid ones', async () => {
    const gate = { ...common, id: 2, chain: 'Optimism', method: 'getBlockNumber', standardContractType: '' }
    await validate([erc20(), gate], '[1] and [2]')
    await validate([
      custom('isMember', 'bool', { inputArrayType: ['address'], parameters: [':who'], ...compared('==', 'true') }),
    ])
  })

  test.each<[string, () => object, string]>([
    [
      'what is never below zero is at least -1',
      () => erc20(compared('>=', '-1')),
      '"returnValueTest" of condition 1: the value is outside the range of uint256',
    ],
    [
      'what is never below zero is not -1',
      () => erc20(compared('!=', -1)),
      '"returnValueTest" of condition 1: the value is outside the range of uint256',
    ],
    [
      'less than nothing',
      () => erc20(compared('<', '0')),
      '"returnValueTest" of condition 1: "<" with this value is false for every uint256',
    ],
    [
      'at most what there can be',
      () => custom('small', 'int8', compared('<=', '127')),
      '"returnValueTest" of condition 1: "<=" with this value is true for every int8',
    ],
    [
      'no contract there',
      () => erc20({ contractAddress: stranger }),
      '"contractAddress" of condition 1 is not a contract on local',
    ],
    [
      'a parameter of another type',
      () => erc20({ parameters: ['0x12'] }),
      '"parameters.0" of condition 1 must be address',
    ],
    [
      'an item of another type',
      () => custom('many', 'uint256', { inputArrayType: ['bool[]'], parameters: [['true', 2]] }),
      '"parameters.0"',
    ],
    [
      'a number beyond its type',
      () => custom('many', 'uint256', { inputArrayType: ['uint8'], parameters: [256] }),
      '"parameters.0"',
    ],
    [
      'an order of booleans',
      () => custom('isMember', 'bool', compared('>', 'true')),
      'can only be compared by == and !=',
    ],
    ['a value of another type', () => erc20(compared('>=', '1.5')), 'the value is not a valid uint256'],
    [
      'an address that is none',
      () => custom('owner', 'address', compared('==', 'me')),
      'the value is not a valid address',
    ],
  ])('%s', async (_what, condition, message) => {
    const error = await refusalOf(validate([condition()]))
    expect(error.code).toBe('INVALID_CONDITION')
    expect(error.message).toMatch(/^Condition validation error: /)
    expect(error.message).toContain(message)
  })

  test('names a chain that is not configured, and the configured ones', async () => {
    const error = await refusalOf(validate([erc20({ chain: 'Polygon' })]))
    expect([error.code, error.details]).toEqual(['CHAIN_NOT_SUPPORTED', { chains: ['Local', 'Optimism'] }])
    const radix = {
      id: 1,
      chain: 'Radix_Mainnet',
      method: 'getFtsByAddress',
      resourceAddress: 'a',
      returnValueTest: common.returnValueTest,
    }
    const set = parseConditions({ conditions: [radix], chainType: 'RADIX' })
    expect((await refusalOf(open().conditions.validateOnCreate(set))).code).toBe('CHAIN_NOT_SUPPORTED')
  })

  test('accepts and reports a test that every number passes, as published clients send it', async () => {
    const gate = { ...common, id: 2, method: 'getBlockNumber', standardContractType: '', ...compared('>', '0') }
    expect(await validate([{ ...erc20(), ...compared('>=', '0') }, gate], '[1] and [2]')).toEqual([1])
  })

  test('an error in a test names the condition in details', async () => {
    expect(await refusalOf(validate([{ ...erc20(), id: 7, ...compared('>', '-5') }]))).toMatchObject({
      code: 'INVALID_CONDITION',
      message: expect.stringMatching(/^Condition validation error: /),
      details: {
        condition: 7,
        field: 'returnValueTest',
        reasonFacts: { code: 'VALUE_OUT_OF_RANGE', values: { type: 'uint256' } },
      },
    })
  })

  test('rejects all conditions on a chain that does not answer', async () => {
    const { conditions } = open({}, ['http://127.0.0.1:9'])
    const error = await refusalOf(conditions.validateOnCreate(parseConditions({ conditions: [erc20()] })))
    expect([error.code, error.retry]).toEqual(['CONDITION_UNKNOWN', true])
  })
})

describe('an offline chain', () => {
  const list = () => [erc20(), { ...common, id: 2, method: 'getBlockNumber', standardContractType: '' }]

  test('never grants access, not even by a denial', async () => {
    for (const aggregator of ['[1] and [2]', '[1] or [2]', '![1] or ![2]', '!([1] and [2])']) {
      const { conditions } = open({}, ['http://127.0.0.1:9'])
      const { isMet, results } = await checkAll(conditions, list(), aggregator, holder)
      expect([isMet, ...results.map(({ result }) => result)]).toEqual(['unknown', 'unknown', 'unknown'])
    }
  })

  test('costs six seconds in total: of four silent endpoints two are queried, for three seconds each', async () => {
    const asked = new Set<string | undefined>()
    const silent = createServer(({ url }) => void asked.add(url))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const { conditions } = open(
        {},
        ['/1', '/2', '/3', '/4'].map((path) => url + path),
      )
      expect((await checkAll(conditions, list(), '[1] or [2]', holder)).isMet).toBe('unknown')
      expect(asked).toContain('/1')
      for (const path of ['/3', '/4']) expect(asked).not.toContain(path)
    } finally {
      silent.close()
      silent.closeAllConnections()
    }
  })

  test('is skipped if another condition decides alone', async () => {
    const settings = { family: 'evm', chainId: 31337, confirmations: 0 }
    const chains = parseChains(
      JSON.stringify({
        chains: {
          Dead: { ...settings, rpcUrls: ['http://127.0.0.1:9'] },
          Local: { ...settings, rpcUrls: [anvil.url] },
        },
      }),
    )
    const conditions = createConditions({ chains, clock: { now: Date.now } })
    const dead = erc20({ id: 2, chain: 'Dead' })
    expect((await checkAll(conditions, [erc20(), dead], '[1] or [2]', holder)).isMet).toBe('true')
    expect((await checkAll(conditions, [erc20(), dead], '[1] and [2]', holder)).isMet).toBe('unknown')
    // A chain that the operator removed: unknown too.
    expect((await checkAll(conditions, [erc20(), erc20({ id: 2, chain: 'Gone' })], '[1] and [2]', holder)).isMet).toBe(
      'unknown',
    )
  })
})
