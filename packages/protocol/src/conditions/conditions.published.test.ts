// Compares what the validator of the published clients accepts and rejects with ours.
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CairnError } from '../errors/error.ts'
import { parseConditions } from './conditions.ts'
import { abiTypes, evmMethods } from './evm.ts'

const require = createRequire(import.meta.url)
type Validator = { updateConditionSchema: { validate(input: unknown): { error?: { message: string } } } }
const published: Validator = require('kavach-0.2.1/dist/methods/accessControl/validator.js')

function isPublished(input: object): boolean {
  const whole = { address: 'a', cid: 'b', ...input }
  return published.updateConditionSchema.validate(whole).error === undefined
}

function isOurs(input: object): boolean {
  try {
    parseConditions(input)
    return true
  } catch (error) {
    if (CairnError.is(error, 'INVALID_CONDITION')) return false
    throw error
  }
}

const address = '0xF0Bc72fA04aea04d04b1fA80B359Adb566E1c8B1'
const mint = 'HYcXxMEPhZSxLJ9KVSR5CbZvYs7d7jjDjPnHyxKKTLjf'
const returnValueTest = fc.record({
  comparator: fc.constantFrom('==', '>=', '<=', '!=', '>', '<'),
  value: fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom('0', 'true', '1000000000000000000', ':userAddress', address),
    fc.array(fc.oneof(fc.maxSafeInteger(), fc.constantFrom('1', 'x')), { minLength: 1, maxLength: 4 }),
  ),
})
const anyCase = <Word extends string>(...words: Word[]) =>
  fc.constantFrom(...words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]))
const parameter = fc.oneof(
  fc.constantFrom(':userAddress', address, '1', ':signature'),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.array(fc.constantFrom(':userAddress', '1'), { maxLength: 4 }),
)
const maybe = <T>(key: string, value: fc.Arbitrary<T>) =>
  fc.option(
    value.map((each) => ({ [key]: each })),
    { nil: {} },
  )
const joined = (...parts: fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((each): object => Object.assign({}, ...each))
const chain = fc.constantFrom('Optimism', 'FantomTest', 'wallaby', 'shardeum', 'BTTC_Testnet')

const evm = fc.oneof(
  joined(
    fc.record({
      chain,
      standardContractType: fc.constant(''),
      method: fc.constantFrom('getBalance', 'getBlockNumber'),
      returnValueTest,
    }),
    maybe('parameters', fc.array(parameter, { maxLength: 1 })),
    maybe('contractAddress', fc.constant(address)),
  ),
  fc.constantFrom(...Object.entries(evmMethods)).chain(([type, methods]) =>
    fc.constantFrom(...Object.entries(methods)).chain(([method, { inputs }]) =>
      fc.record({
        chain,
        standardContractType: anyCase(type),
        method: fc.constant(method),
        contractAddress: fc.constant(address),
        parameters: fc.array(parameter, { minLength: inputs.length, maxLength: inputs.length }),
        returnValueTest,
      }),
    ),
  ),
  fc.array(fc.tuple(fc.constantFrom(...abiTypes), parameter), { maxLength: 4 }).chain((inputs) =>
    fc.record({
      chain,
      standardContractType: anyCase('Custom'),
      method: fc.constant('isMember'),
      contractAddress: fc.constant(address),
      parameters: fc.constant(inputs.map(([, value]) => value)),
      inputArrayType: fc.constant(inputs.map(([type]) => type)),
      outputType: fc.constantFrom(...abiTypes),
      returnValueTest,
    }),
  ),
)
const solanaChain = anyCase('DEVNET', 'TESTNET', 'MAINNET')
const pdaInterface = joined(
  maybe('offset', fc.oneof(fc.nat(1000), fc.nat(1000).map(String))),
  maybe('selector', fc.constant('account.data')),
)
const solana = fc.oneof(
  fc.record({
    chain: solanaChain,
    standardContractType: fc.constant(''),
    method: fc.constantFrom('getBalance', 'getLastBlockTime', 'getBlockHeight'),
    pdaInterface,
    returnValueTest,
  }),
  fc.record({
    chain: solanaChain,
    standardContractType: anyCase('spl-token'),
    method: fc.constant('getTokenAccountsByOwner'),
    contractAddress: fc.constant(mint),
    parameters: fc.constant([':userAddress']),
    pdaInterface,
    returnValueTest,
  }),
)
const coreum = fc.record({
  chain: anyCase('Coreum_Devnet', 'Coreum_Testnet', 'Coreum_Mainnet'),
  standardContractType: fc.constant(''),
  method: fc.constantFrom('getFtsByAddress', 'getNftsByAddress', 'getLastBlockTime'),
  denom: fc.constant('subunit-devcore1abc'),
  classid: fc.constant('class-devcore1abc'),
  parameters: fc.constant([':userAddress']),
  returnValueTest,
})

/** Sets that both accept, with their chain type in any case. */
const sets = fc
  .constantFrom({ name: 'EVM', one: evm }, { name: 'SOLANA', one: solana }, { name: 'COREUM', one: coreum })
  .chain(({ name, one }) =>
    fc.tuple(anyCase(name), fc.array(one, { minLength: 1, maxLength: 4 })).map(([chainType, list]) => {
      const conditions = list.map((condition, at) => ({ ...condition, id: at + 1 }))
      const aggregator = conditions.map(({ id }) => `[${id}]`).join(' and ')
      return { chainType, conditions, ...(conditions.length > 1 ? { aggregator } : {}) }
    }),
  )

describe('beside the published validator', () => {
  test('accepts each valid condition that the published validator accepts', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect([isPublished(set), isOurs(set)]).toEqual([true, true])
      }),
      { numRuns: 2_000 },
    )
  })

  test('rejects each broken field that the published validator rejects', () => {
    const junk = fc.constantFrom<unknown>(undefined, null, 0, -1, true, 'x', {}, [], [{}], { comparator: '=' })
    const field = fc.constantFrom(
      'id',
      'chain',
      'method',
      'standardContractType',
      'contractAddress',
      'parameters',
      'returnValueTest',
      'pdaInterface',
      'inputArrayType',
      'outputType',
      'surprise',
    )
    fc.assert(
      fc.property(sets, field, junk, ({ conditions: [first, ...others], ...rest }, key, value) => {
        // The specification requires contract and parameters if a type is given; the validator also requires them
        // without one.
        fc.pre(!(key === 'standardContractType' && value === undefined && /coreum/i.test(rest.chainType)))
        const broken = { ...rest, conditions: [{ ...first, [key]: value }, ...others] }
        return isPublished(broken) || !isOurs(broken)
      }),
      { numRuns: 5_000 },
    )
  })
})
