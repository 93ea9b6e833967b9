// EVM conditions on a real node, with the token contracts everybody uses.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CairnError, parseConditions } from '@cairn/protocol'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, startAnvil } from './anvil.fixture.ts'
import { parseChains } from './chains.ts'
import { compile } from './compile.fixture.ts'
import { type Conditions, createConditions } from './evaluate.ts'

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
contract Coin is ERC20("Coin", "C") {
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}
contract Ticket is ERC721("Ticket", "T") {
  function mint(address to, uint256 id) external { _mint(to, id); }
}
contract Badge is ERC1155("") {
  function mint(address to, uint256 id, uint256 amount) external { _mint(to, id, amount, ""); }
}
contract Odd {
  error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
  string url;
  address member;
  constructor(string memory to, address who) { url = to; member = who; }
  function isMember(address who) external view returns (bool) { return who == member; }
  function two() external pure returns (uint256, bool) { return (7, true); }
  function nothing() external pure {}
  function seven() external pure returns (uint256) { return 7; }
  function small() external pure returns (int8) { return -5; }
  function tag() external pure returns (bytes4) { return 0x12345678; }
  function tags() external pure returns (bytes4[] memory list) { list = new bytes4[](2); list[0] = list[1] = 0x12345678; }
  function many(uint256 count) external pure returns (uint256[] memory) { return new uint256[](count); }
  function echo(uint8[] calldata a, bytes32 b, int16 c, bool d) external pure returns (int256) {
    return int256(uint256(a[1])) + int256(uint256(uint8(b[31]))) + c + (d ? int256(1000) : int256(0));
  }
  function gas() external view returns (uint256) { return gasleft(); }
  function spin() external pure returns (uint256 n) { while (true) n++; }
  function bomb() external pure returns (uint256) { assembly { revert(0, 500000) } }
  function fail() external pure returns (uint256) { require(false, "no"); return 1; }
  function crash() external pure returns (uint256) { assembly { invalid() } }
  function lookup() external view returns (uint256) {
    string[] memory urls = new string[](1);
    urls[0] = url;
    revert OffchainLookup(address(this), urls, "", this.seven.selector, "");
  }
  function dirty() external pure returns (uint256) { assembly { mstore(0, not(0)) return(0, 32) } }
}`

const contract = compile(source)
let anvil: Anvil
let coin: Hex
let ticket: Hex
let badge: Hex
let odd: Hex
let holder: Hex
let stranger: Hex
/** Answers to a contract that sends its readers elsewhere; nobody may come. */
let visits = 0
const elsewhere = createServer((_request, response) => {
  visits++
  response.end('{"data":"0x"}')
})

beforeAll(async () => {
  anvil = await startAnvil()
  elsewhere.listen(0, '127.0.0.1')
  await new Promise((resolve) => elsewhere.once('listening', resolve))
  const { port } = elsewhere.address() as AddressInfo
  ;[, holder, stranger] = anvil.accounts as [Hex, Hex, Hex]
  coin = await anvil.deploy(contract('Coin'))
  ticket = await anvil.deploy(contract('Ticket'))
  badge = await anvil.deploy(contract('Badge'))
  odd = await anvil.deploy(contract('Odd'), [`http://127.0.0.1:${port}/{sender}/{data}`, holder])
  await anvil.send(contract('Coin'), coin, 'mint', [holder, 2n ** 60n])
  await anvil.send(contract('Ticket'), ticket, 'mint', [holder, 9007199254740993n])
  await anvil.send(contract('Badge'), badge, 'mint', [holder, 1n, 5n])
  await anvil.send(contract('Badge'), badge, 'mint', [holder, 2n, 7n])
})
afterAll(async () => {
  elsewhere.close()
  await anvil?.[Symbol.asyncDispose]()
})

/** A clock that moves on a minute whenever it is asked to, so that nothing kept is still good. */
function createClock() {
  let now = Date.now()
  return { now: () => now, pass: () => (now += 61_000) }
}

function open(settings: object = {}, rpcUrls = [anvil.url]): { conditions: Conditions; pass(): void } {
  const clock = createClock()
  const chain = { family: 'evm', chainId: 31337, rpcUrls, confirmations: 0, aliases: ['Optimism'], ...settings }
  const chains = parseChains(JSON.stringify({ chains: { Local: chain } }))
  return { conditions: createConditions({ chains, clock, log: { warn: () => undefined } }), pass: clock.pass }
}

const common = { id: 1, chain: 'local', returnValueTest: { comparator: '>=', value: '1' } }
const erc20 = (part: object = {}) => ({
  ...common,
  standardContractType: 'ERC20',
  contractAddress: coin,
  method: 'balanceOf',
  parameters: [':userAddress'],
  ...part,
})
const custom = (method: string, outputType: string, part: object = {}) => ({
  ...common,
  standardContractType: 'Custom',
  contractAddress: odd,
  method,
  parameters: [],
  inputArrayType: [],
  outputType,
  ...part,
})
const compared = (comparator: string, value: unknown) => ({ returnValueTest: { comparator, value } })

async function check(condition: object, identity = holder as string, dynamicData: object = {}) {
  const { conditions } = open()
  return checkAll(conditions, [condition], '', identity, dynamicData)
}
async function checkAll(
  conditions: Conditions,
  list: object[],
  aggregator: string,
  identity: string = holder,
  dynamicData: object = {},
) {
  const { isMet, results } = await conditions.check(
    parseConditions({ conditions: list, aggregator }),
    identity,
    dynamicData,
  )
  return { isMet, results, first: results[0] }
}

async function refusalOf(promise: Promise<unknown>): Promise<CairnError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!CairnError.is(error)) throw new Error('was not refused')
  return error
}

describe('standard contracts', () => {
  test.each<[string, () => object, string, string]>([
    ['balance of a coin', () => erc20(compared('>=', (2n ** 60n).toString())), 'true', (2n ** 60n).toString()],
    ['balance of a coin, one more', () => erc20(compared('>=', (2n ** 60n + 1n).toString())), 'false', ''],
    [
      'allowance',
      () => erc20({ method: 'allowance', parameters: [':userAddress', coin], ...compared('==', 0) }),
      'true',
      '0',
    ],
    [
      'supply',
      () => erc20({ method: 'totalSupply', parameters: [], ...compared('==', '0x1000000000000000') }),
      'true',
      '',
    ],
    ['owner of a token', () => nft('ownerOf', ['9007199254740993'], compared('==', ':userAddress')), 'true', ''],
    ['balance of tokens', () => nft('balanceOf', [':userAddress'], compared('==', 1)), 'true', '1'],
    ['approval', () => nft('isApprovedForAll', [':userAddress', coin], compared('==', 'false')), 'true', ''],
    ['balance of a badge', () => multi('balanceOf', [':userAddress', '1'], compared('==', '5')), 'true', '5'],
    [
      'balances in a batch, all of them',
      () =>
        multi(
          'balanceOfBatch',
          [
            [':userAddress', ':userAddress'],
            [1, 2],
          ],
          compared('>=', '5'),
        ),
      'true',
      '',
    ],
    [
      'balances in a batch, one by one',
      () =>
        multi(
          'balanceOfBatch',
          [
            [':userAddress', ':userAddress'],
            [1, 2],
          ],
          compared('==', ['5', '7']),
        ),
      'true',
      '',
    ],
    [
      'balances in a batch, one is too small',
      () =>
        multi(
          'balanceOfBatch',
          [
            [':userAddress', ':userAddress'],
            [1, 3],
          ],
          compared('>=', '5'),
        ),
      'false',
      '',
    ],
    [
      'approval of badges',
      () => multi('isApprovedForAll', [':userAddress', coin], compared('==', 'true')),
      'false',
      '',
    ],
  ])('%s', async (_what, condition, expected, observed) => {
    const { isMet, first } = await check(condition())
    expect(isMet, JSON.stringify(first)).toBe(expected)
    if (observed !== '') expect(first?.observed).toBe(observed)
  })

  const nft = (method: string, parameters: unknown[], part: object) =>
    erc20({ standardContractType: 'ERC721', contractAddress: ticket, method, parameters, ...part })
  const multi = (method: string, parameters: unknown[], part: object) =>
    erc20({ standardContractType: 'ERC1155', contractAddress: badge, method, parameters, ...part })

  test('somebody else has none of it', async () => {
    expect(await check(erc20(), stranger)).toMatchObject({ isMet: 'false', first: { observed: '0' } })
  })

  test('a token that does not exist has no owner, whatever it is compared by', async () => {
    for (const comparator of ['==', '!=']) {
      const { isMet, first } = await check(nft('ownerOf', [404], compared(comparator, ':userAddress')))
      expect([isMet, first?.reason]).toEqual(['false', 'the contract refused the call'])
    }
  })
})

describe('the chain itself', () => {
  test('a balance, of whoever asks where no address is given', async () => {
    const native = { ...common, method: 'getBalance', standardContractType: '' }
    const rich = compared('==', (10n ** 22n).toString())
    expect((await check({ ...native, ...rich })).isMet).toBe('true')
    expect((await check({ ...native, parameters: [':userAddress'], ...rich })).isMet).toBe('true')
    expect((await check({ ...native, parameters: [coin], ...compared('==', 0) })).isMet).toBe('true')
    expect((await check({ ...native, contractAddress: coin, parameters: [], ...rich })).isMet).toBe('true')
  })

  test('the height, less the confirmations', async () => {
    const height = BigInt(String(await anvil.ask('eth_blockNumber', [])))
    const block = { ...common, method: 'getBlockNumber', standardContractType: '', ...compared('>', '0') }
    expect((await check(block)).first?.observed).toBe(height.toString())
    const { conditions } = open({ confirmations: 2 })
    expect((await checkAll(conditions, [block], '')).first?.observed).toBe((height - 2n).toString())
  })
})

describe('custom contracts', () => {
  const inputs = { inputArrayType: ['uint8[]', 'bytes32', 'int16', 'bool'] }
  const word = `0x${'00'.repeat(31)}05`
  test.each<[string, () => object, string]>([
    ['bool as text', () => custom('isMember', 'bool', member(compared('==', 'true'))), 'true'],
    ['bool, denied', () => custom('isMember', 'bool', member(compared('!=', 'true'))), 'false'],
    ['int8 below zero', () => custom('small', 'int8', compared('<', '-4')), 'true'],
    ['bytes4', () => custom('tag', 'bytes4', compared('==', '0x12345678')), 'true'],
    ['bytes4[]', () => custom('tags', 'bytes4[]', compared('==', '0x12345678')), 'true'],
    ['an empty list', () => custom('many', 'uint256[]', { ...count(0), ...compared('==', 0) }), 'false'],
    ['thirty-two of them', () => custom('many', 'uint256[]', { ...count(32), ...compared('==', 0) }), 'true'],
    ['thirty-three', () => custom('many', 'uint256[]', { ...count(33), ...compared('==', 0) }), 'unknown'],
    [
      'inputs of every kind',
      () =>
        custom('echo', 'int256', { ...inputs, parameters: [[1, '2'], word, '-3', 'true'], ...compared('==', 1004) }),
      'true',
    ],
    ['two outputs read as one', () => custom('two', 'uint256', compared('==', 7)), 'unknown'],
    ['an output of another type', () => custom('seven', 'uint256[]', compared('==', 7)), 'unknown'],
    ['a value beyond its type', () => custom('dirty', 'uint8', compared('>=', 0)), 'unknown'],
    ['no output', () => custom('nothing', 'uint256', compared('!=', 7)), 'unknown'],
    ['no such method', () => custom('absent', 'uint256', compared('!=', 7)), 'false'],
    ['a contract that refuses', () => custom('fail', 'uint256', compared('!=', 7)), 'false'],
    ['a contract that crashes', () => custom('crash', 'uint256', compared('!=', 7)), 'false'],
    ['an endless loop', () => custom('spin', 'uint256', compared('!=', 7)), 'unknown'],
    ['a return bomb', () => custom('bomb', 'uint256', compared('!=', 7)), 'unknown'],
    ['at most a million of gas', () => custom('gas', 'uint256', compared('<', 1_000_000)), 'true'],
    [
      'no contract at all',
      () => custom('seven', 'uint256', { contractAddress: stranger, ...compared('!=', 7) }),
      'unknown',
    ],
  ])('%s', async (_what, condition, expected) => {
    const { isMet, first } = await check(condition())
    expect(isMet, JSON.stringify(first)).toBe(expected)
  })

  const member = (part: object) => ({ inputArrayType: ['address'], parameters: [':userAddress'], ...part })
  const count = (items: number) => ({ inputArrayType: ['uint256'], parameters: [items] })

  test('a contract that sends its readers elsewhere (EIP-3668) is not followed', async () => {
    expect((await check(custom('lookup', 'uint256', compared('!=', 0)))).isMet).toBe('false')
    expect(visits).toBe(0)
  })

  test('values known only now are typed by the condition, and none lets a denial through', async () => {
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

  test('an address of another chain neither meets a condition nor its denial', async () => {
    const solana = 'So11111111111111111111111111111111111111112'
    const { conditions } = open()
    for (const aggregator of ['[1]', '![1]']) {
      expect((await checkAll(conditions, [erc20()], aggregator, solana)).isMet).toBe('false')
    }
    // What is not about the one who asks is read for anybody.
    expect((await checkAll(conditions, [custom('small', 'int8', compared('==', -5))], '', solana)).isMet).toBe('true')
  })
})

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
    expect((await checkAll(conditions, [holds(), fails(), silent()], aggregator)).isMet).toBe(expected)
  })

  test('cheap conditions decide before dear ones are read', async () => {
    const gate = { ...common, id: 2, method: 'getBlockNumber', standardContractType: '', ...compared('<', '0') }
    const { conditions } = open()
    const { isMet, results } = await checkAll(conditions, [erc20(), gate], '[1] and [2]')
    expect([isMet, results.map(({ id }) => id)]).toEqual(['false', [2]])
  })

  test('ten evaluations a minute for one address', async () => {
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

describe('reorganisations', () => {
  test('what a reorganisation took away does not open, and waits for its confirmations before it does', async () => {
    await using own = await startAnvil()
    const [, , , who] = own.accounts as [Hex, Hex, Hex, Hex]
    const address = await own.deploy(contract('Coin'))
    await own.ask('anvil_mine', ['0x5'])
    const condition = erc20({ contractAddress: address })
    const early = open({}, [own.url])
    const late = open({ confirmations: 2 }, [own.url])
    const ask = async ({ conditions, pass }: ReturnType<typeof open>) => {
      pass()
      return (await checkAll(conditions, [condition], '', who)).isMet
    }
    await own.send(contract('Coin'), address, 'mint', [who, 99n])
    expect([await ask(early), await ask(late)]).toEqual(['true', 'false'])
    await own.ask('anvil_reorg', [1, []])
    expect([await ask(early), await ask(late)]).toEqual(['false', 'false'])
    await own.send(contract('Coin'), address, 'mint', [who, 99n])
    await own.ask('anvil_mine', ['0x2'])
    expect([await ask(early), await ask(late)]).toEqual(['true', 'true'])
  })

  test('a block that is no longer the chain’s gives nothing', async () => {
    await using own = await startAnvil()
    const [, , , who] = own.accounts as [Hex, Hex, Hex, Hex]
    const address = await own.deploy(contract('Coin'))
    await own.send(contract('Coin'), address, 'mint', [who, 99n])
    const { conditions } = open({}, [own.url])
    const height = { ...common, method: 'getBlockNumber', standardContractType: '' }
    // The block is kept for a moment; then it is reorganised away, and a balance is read at it.
    expect((await checkAll(conditions, [height], '', who)).isMet).toBe('true')
    await own.ask('anvil_reorg', [1, []])
    const { isMet, first } = await checkAll(conditions, [erc20({ contractAddress: address })], '', who)
    expect([isMet, first?.result]).toEqual(['unknown', 'unknown'])
  })
})

describe('setting conditions', () => {
  const validate = (list: object[], aggregator = '') =>
    open().conditions.validateOnCreate(parseConditions({ conditions: list, aggregator }))

  test('good ones pass', async () => {
    const gate = { ...common, id: 2, chain: 'Optimism', method: 'getBlockNumber', standardContractType: '' }
    await validate([erc20(), gate], '[1] and [2]')
    await validate([
      custom('isMember', 'bool', { inputArrayType: ['address'], parameters: [':who'], ...compared('==', 'true') }),
    ])
  })

  test.each<[string, () => object, string]>([
    [
      'no contract there',
      () => erc20({ contractAddress: stranger }),
      '"contractAddress" of condition 1 is no contract on local',
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
    ['a value of another type', () => erc20(compared('>=', '1.5')), 'the value is no uint256'],
    ['an address that is none', () => custom('owner', 'address', compared('==', 'me')), 'the value is no address'],
  ])('%s', async (_what, condition, message) => {
    const error = await refusalOf(validate([condition()]))
    expect(error.code).toBe('INVALID_CONDITION')
    expect(error.message).toMatch(/^Condition validation error: /)
    expect(error.message).toContain(message)
  })

  test('a chain that is not configured is named, and those that are', async () => {
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

  test('a chain that does not answer lets nobody set what it cannot tell', async () => {
    const { conditions } = open({}, ['http://127.0.0.1:9'])
    const error = await refusalOf(conditions.validateOnCreate(parseConditions({ conditions: [erc20()] })))
    expect([error.code, error.retry]).toEqual(['CONDITION_UNKNOWN', true])
  })
})

test('an endpoint of another chain is not believed', async () => {
  const { conditions } = open({ chainId: 1 })
  const { isMet, first } = await checkAll(conditions, [erc20()], '')
  expect([isMet, first?.reason]).toEqual(['unknown', 'the endpoint is one of another chain'])
})

test('an endpoint that has fallen behind is not believed', async () => {
  const { conditions, pass } = open({ blockAgeMostSeconds: 30 })
  expect((await checkAll(conditions, [erc20()], '')).isMet).toBe('true')
  pass()
  const { isMet, first } = await checkAll(conditions, [erc20()], '')
  expect([isMet, first?.reason]).toEqual(['unknown', 'the chain’s endpoint has fallen behind'])
})

describe('a chain that is dead', () => {
  const list = () => [erc20(), { ...common, id: 2, method: 'getBlockNumber', standardContractType: '' }]

  test('never grants, not even by a denial', async () => {
    for (const aggregator of ['[1] and [2]', '[1] or [2]', '![1] or ![2]', '!([1] and [2])']) {
      const { conditions } = open({}, ['http://127.0.0.1:9'])
      const { isMet, results } = await checkAll(conditions, list(), aggregator)
      expect([isMet, ...results.map(({ result }) => result)]).toEqual(['unknown', 'unknown', 'unknown'])
    }
  })

  test('costs six seconds at most, however many endpoints never answer', { timeout: 8_000 }, async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const { conditions } = open({}, [url, url, url, url])
      expect((await checkAll(conditions, list(), '[1] or [2]')).isMet).toBe('unknown')
    } finally {
      silent.close()
      silent.closeAllConnections()
    }
  })

  test('is left out where another condition decides alone', async () => {
    const clock = createClock()
    const settings = { family: 'evm', chainId: 31337, confirmations: 0 }
    const chains = parseChains(
      JSON.stringify({
        chains: {
          Dead: { ...settings, rpcUrls: ['http://127.0.0.1:9'] },
          Local: { ...settings, rpcUrls: [anvil.url] },
        },
      }),
    )
    const conditions = createConditions({ chains, clock, log: { warn: () => undefined } })
    const dead = erc20({ id: 2, chain: 'Dead' })
    expect((await checkAll(conditions, [erc20(), dead], '[1] or [2]')).isMet).toBe('true')
    expect((await checkAll(conditions, [erc20(), dead], '[1] and [2]')).isMet).toBe('unknown')
    // A chain that the operator took away: unknown too.
    expect((await checkAll(conditions, [erc20(), erc20({ id: 2, chain: 'Gone' })], '[1] and [2]')).isMet).toBe(
      'unknown',
    )
  })
})
