import { describe, expect, test } from 'vitest'
import { CairnError } from '../errors/error.ts'
import { fieldRules } from '../reasons/field-rules.ts'
import { fillReason, parseReasonFacts } from '../reasons/reason.ts'
import { parseConditions } from './conditions.ts'
import { conditionRules } from './rules.ts'

const contractAddress = '0xF0Bc72fA04aea04d04b1fA80B359Adb566E1c8B1'
const returnValueTest = { comparator: '>=', value: '0' }
const erc20 = {
  id: 1,
  chain: 'FantomTest',
  method: 'balanceOf',
  standardContractType: 'ERC20',
  contractAddress,
  returnValueTest,
  parameters: [':userAddress'],
}
const custom = {
  ...erc20,
  standardContractType: 'Custom',
  method: 'isMember',
  inputArrayType: ['address'],
  outputType: 'bool',
  returnValueTest: { comparator: '==', value: 'true' },
}
const block = {
  id: 2,
  chain: 'Optimism',
  method: 'getBlockNumber',
  standardContractType: '',
  returnValueTest: { comparator: '>', value: '133493' },
}
const splToken = {
  id: 3,
  chain: 'devnet',
  method: 'getTokenAccountsByOwner',
  standardContractType: 'SPL-TOKEN',
  contractAddress: 'HYcXxMEPhZSxLJ9KVSR5CbZvYs7d7jjDjPnHyxKKTLjf',
  pdaInterface: { offset: 0, selector: 'account.data.parsed.info.tokenAmount.amount' },
  returnValueTest,
}
const lamports = { ...block, chain: 'DEVNET', method: 'getBalance', pdaInterface: {} }
const fungible = {
  id: 1,
  chain: 'coreum_devnet',
  method: 'getFtsByAddress',
  denom: 'subunit-devcore1abc',
  parameters: [':userAddress'],
  returnValueTest,
}
const resource = {
  id: 1,
  chain: 'radix_mainnet',
  method: 'getNftsByAddress',
  resourceAddress: 'resource_rdx1abc',
  returnValueTest,
}

const ruleTexts: Readonly<Partial<Record<string, string>>> = { ...fieldRules, ...conditionRules }

/** The sentence that the facts of an error give, for comparison with its message. */
function sayFacts({ details: { reason, reasonFacts } }: CairnError<'INVALID_CONDITION'>): [unknown, unknown] {
  const { code = '', values = {} } = parseReasonFacts(reasonFacts) ?? {}
  return [reason, fillReason(ruleTexts[code] ?? '', values)]
}

function refusal(input: Parameters<typeof parseConditions>[0]): string {
  try {
    parseConditions(input)
  } catch (error) {
    if (CairnError.is(error, 'INVALID_CONDITION')) {
      const [reason, sentence] = sayFacts(error)
      expect(error.message.endsWith(String(reason))).toBe(true)
      expect(sentence).toBe(reason)
      return error.message
    }
    throw error
  }
  return ''
}

describe('input of published clients', () => {
  test('reads two conditions with an aggregator; defaults; the chain type in their case', () => {
    const set = parseConditions({ conditions: [erc20, block], aggregator: '([1] and [2])', chainType: 'evm' })
    expect(set).toEqual({
      chainType: 'EVM',
      conditions: [erc20, block],
      aggregator: '([1] and [2])',
      decryptionType: 'ADDRESS',
    })
  })

  test.each([
    ['EVM', '', [custom]],
    ['EVM', undefined, [{ ...erc20, standardContractType: 'erc20' }]],
    ['EVM', null, [{ ...erc20, id: '1' }]],
    ['EVM', 'Evm', [{ ...block, parameters: [] }]],
    ['SOLANA', 'solana', [splToken]],
    ['SOLANA', 'SOLANA', [lamports]],
    ['COREUM', 'Coreum', [fungible]],
    ['RADIX', 'RADIX', [resource]],
  ])('%s by %o', (chainType, given, conditions) => {
    const set = parseConditions({
      conditions,
      chainType: given,
      decryptionType: 'access_conditions',
      address: 'x',
    } as never)
    expect(set).toMatchObject({ chainType, decryptionType: 'ACCESS_CONDITIONS', aggregator: '' })
  })

  test.each([null, [], 'x', 5])('%j is not a condition', (item) => {
    expect(() => parseConditions({ conditions: [erc20, item] })).toThrow(
      'Condition validation error: condition at position 2 must be an object',
    )
  })

  test('writes fixed words in their canonical case, ids as numbers', () => {
    const evm = parseConditions({ conditions: [{ ...custom, standardContractType: 'CUSTOM', id: ' 7 ' }] })
    expect(evm.conditions[0]).toMatchObject({ id: 7, standardContractType: 'Custom' })
    const solana = parseConditions({ conditions: [splToken], chainType: 'SOLANA' })
    expect(solana.conditions[0]).toMatchObject({ chain: 'DEVNET', standardContractType: 'spl-token' })
    const coreum = parseConditions({ conditions: [fungible], chainType: 'COREUM' })
    expect(coreum.conditions[0]).toMatchObject({ chain: 'Coreum_Devnet', standardContractType: '' })
  })

  test('leaves a checked set unchanged', () => {
    const set = parseConditions({ conditions: [splToken], chainType: 'SOLANA' })
    expect(parseConditions(set)).toEqual(set)
  })

  test('an empty list clears the conditions, if the caller allows it', () => {
    expect(parseConditions({ conditions: [] }, { allowEmpty: true })).toMatchObject({ conditions: [], aggregator: '' })
    expect(refusal({ conditions: [] })).toContain('at least 1')
  })
})

describe('rejected input, by field and id', () => {
  const test1 = (part: object) => [{ ...erc20, ...part }]
  const value = (given: unknown) => test1({ returnValueTest: { comparator: '>=', value: given } })
  test.each<[string, unknown, unknown?]>([
    ['"chainType" must be one of EVM, SOLANA, COREUM, RADIX', [erc20], { chainType: 'BTC' }],
    ['"decryptionType" must be one of ADDRESS, ACCESS_CONDITIONS', [erc20], { decryptionType: 'ALL' }],
    ['"conditions" must be an array', undefined],
    ['"conditions" must be an array', { 0: erc20 }],
    ['"conditions" must contain at most 10 items', Array.from({ length: 11 }, (_, at) => ({ ...erc20, id: at + 1 }))],
    ['condition at position 1 ', ['x']],
    ['"id" of condition at position 1 is required', test1({ id: undefined })],
    ['"id" of condition 0 must be at least 1', test1({ id: 0 })],
    ['"id" of condition x must be a number', test1({ id: 'x' })],
    ['"id" 1 is used by more than one', [erc20, { ...erc20, id: '1' }]],
    ['"surprise" of condition 1 is not allowed', test1({ surprise: 1 })],
    ['"__proto__" of condition 1 is not allowed', [JSON.parse(JSON.stringify(erc20).replace('{', '{"__proto__":{},'))]],
    ['"chain" of condition 1 is required', test1({ chain: undefined })],
    ['"chain" of condition 1 must be the name of a chain', test1({ chain: 'http://evil' })],
    ['"standardContractType" of condition 1', test1({ standardContractType: 'ERC777' })],
    ['"standardContractType" of condition 1', test1({ standardContractType: undefined })],
    ['"contractAddress" of condition 1 is required', test1({ contractAddress: undefined })],
    ['"contractAddress" of condition 1 must be 0x', test1({ contractAddress: '0x12' })],
    ['"method" of condition 1 must be one of balanceOf, allowance, totalSupply', test1({ method: 'symbol' })],
    ['"method" of condition 1 must be one of balanceOf', test1({ method: 'constructor' })],
    ['"parameters" of condition 1 is required', test1({ parameters: undefined })],
    ['"parameters" of condition 1 must have 1 items for balanceOf', test1({ parameters: [] })],
    ['"parameters" of condition 1 must have at most 16', test1({ parameters: Array(17).fill('1') })],
    ['"parameters.0" of condition 1 must have at most 32', test1({ parameters: [Array(33).fill('1')] })],
    ['"parameters.0" of condition 1 must have at most 1024', test1({ parameters: ['x'.repeat(1025)] })],
    ['"parameters.0" of condition 1 must be a whole number', test1({ parameters: [2 ** 53] })],
    ['"parameters.0" of condition 1 must be a string', test1({ parameters: [{}] })],
    ['"parameters.0.0" of condition 1 must be a string', test1({ parameters: [[[1]]] })],
    ['"returnValueTest" of condition 1 is required', test1({ returnValueTest: undefined })],
    ['"returnValueTest.comparator" of condition 1', test1({ returnValueTest: { comparator: '=', value: 1 } })],
    ['"returnValueTest.value" of condition 1 is required', value(undefined)],
    ['"returnValueTest.value" of condition 1 must be a number, a string or an array', value(true)],
    ['"returnValueTest.value" of condition 1 must not be empty', value('')],
    ['"returnValueTest.value" of condition 1 must be a whole number', value(2 ** 53)],
    ['"returnValueTest.value" of condition 1 must be a whole number', value(1.5)],
    [
      '"returnValueTest.value" of condition 1 must not contain placeholders other than :userAddress',
      value(':threshold'),
    ],
    ['"returnValueTest.value.1" of condition 1 must not contain placeholders', value(['1', ':x'])],
    ['"inputArrayType" of condition 1 is required', [{ ...custom, inputArrayType: undefined }]],
    ['"outputType" of condition 1 must be one of the ABI types', [{ ...custom, outputType: 'string' }]],
    ['"inputArrayType.0" of condition 1 must be one of', [{ ...custom, inputArrayType: ['uint160'] }]],
    ['"parameters" of condition 1 must have as many items', [{ ...custom, inputArrayType: [] }]],
    ['"method" of condition 1 must be the name of a Solidity', [{ ...custom, method: 'a(uint256)' }]],
    ['"method" of condition 2 must be getBalance or getBlockNumber', [{ ...block, method: 'balanceOf' }]],
    ['"pdaInterface" of condition 3 is required', [{ ...splToken, pdaInterface: undefined }], { chainType: 'SOLANA' }],
    ['"pdaInterface.offset" of condition 3', [{ ...splToken, pdaInterface: { offset: -1 } }], { chainType: 'SOLANA' }],
    [
      '"pdaInterface.offset" of condition 3 must be a number',
      [{ ...splToken, pdaInterface: { offset: 'x' } }],
      { chainType: 'SOLANA' },
    ],
    ['"chain" of condition 3 must be one of "DEVNET"', [{ ...splToken, chain: 'Optimism' }], { chainType: 'SOLANA' }],
    ['"method" of condition 3', [{ ...splToken, method: 'getBalance' }], { chainType: 'SOLANA' }],
    ['"denom" of condition 1 is required', [{ ...fungible, denom: undefined }], { chainType: 'COREUM' }],
    ['"denom" of condition 1 must be a denom', [{ ...fungible, denom: 'a/../../b' }], { chainType: 'COREUM' }],
    ['"classid" of condition 1 is required', [{ ...fungible, method: 'getNftsByAddress' }], { chainType: 'COREUM' }],
    ['"contractAddress" of condition 1 is req', [{ ...fungible, standardContractType: 'ft' }], { chainType: 'COREUM' }],
    ['"aggregator" is required', [erc20, block]],
    ['"aggregator" must contain " and " or " or "', [erc20, block], { aggregator: '[1]and[2]' }],
    ['"aggregator" must be a string', [erc20, block], { aggregator: 1 }],
    ['"aggregator" must use every condition', [erc20, block], { aggregator: '[1] and [1]' }],
    ['"aggregator" cannot be read', [erc20], { aggregator: 'all' }],
  ])('%s', (message, conditions, rest = {}) => {
    expect(refusal({ conditions, ...(rest as object) })).toContain(`Condition validation error: ${message}`)
  })

  test('details list every problem, and no text repeats the input', () => {
    const secret = 'sk-secret'.repeat(20)
    try {
      parseConditions({ conditions: [{ ...erc20, chain: `${secret}\n`, method: secret }] })
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({
        details: {
          field: 'chain',
          condition: 1,
          position: 1,
          reasonFacts: { code: 'NOT_A_CHAIN_NAME' },
          fields: {
            'conditions.0.chain': '"chain" of condition 1 must be the name of a chain',
            'conditions.0.method': expect.any(String),
          },
          rules: {
            'conditions.0.chain': {
              reason: 'must be the name of a chain',
              reasonFacts: { code: 'NOT_A_CHAIN_NAME' },
            },
            'conditions.0.method': {
              reason: expect.stringMatching(/^must be one of balanceOf/),
              reasonFacts: { code: 'METHOD_OF_ANOTHER_TYPE', values: { type: 'ERC20' } },
            },
          },
        },
      })
      expect(JSON.stringify(error)).not.toContain('secret')
    }
  })
})
