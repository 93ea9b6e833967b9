// Reading EVM conditions from a real node, with widely used token contracts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Anvil, startAnvil } from '@cairn/service/anvil-fixture'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAll, common, compared, type EvmNetwork, type Opened, startEvmNetwork } from './evm-network.fixture.ts'

let network: EvmNetwork
let anvil: Anvil
let coin: Hex
let ticket: Hex
let badge: Hex
let holder: Hex
let stranger: Hex
let erc20: EvmNetwork['erc20']
let custom: EvmNetwork['custom']
let open: EvmNetwork['open']
let check: EvmNetwork['check']
let contract: EvmNetwork['contract']
/** Where a contract redirects its readers; no request may arrive. */
let visits = 0
const elsewhere = createServer((_request, response) => {
  visits++
  response.end('{"data":"0x"}')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  const { port } = elsewhere.address() as AddressInfo
  network = await startEvmNetwork(`http://127.0.0.1:${port}/{sender}/{data}`)
  ;({ anvil, coin, ticket, badge, holder, stranger, erc20, custom, open, check, contract } = network)
})
afterAll(async () => {
  elsewhere.close()
  await network?.[Symbol.asyncDispose]()
})

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

  test('another account has none of it', async () => {
    expect(await check(erc20(), stranger)).toMatchObject({ isMet: 'false', first: { observed: '0' } })
  })

  test('a token that does not exist has no owner, in any comparison', async () => {
    for (const comparator of ['==', '!=']) {
      const { isMet, first } = await check(nft('ownerOf', [404], compared(comparator, ':userAddress')))
      expect([isMet, first?.reason]).toEqual(['false', 'the contract rejected the call'])
      expect(first?.reasonFacts).toEqual({ code: 'CALL_REJECTED' })
    }
  })
})

describe('the chain itself', () => {
  test('the balance is that of the caller if no address is given', async () => {
    const native = { ...common, method: 'getBalance', standardContractType: '' }
    const rich = compared('==', (10n ** 22n).toString())
    expect((await check({ ...native, ...rich })).isMet).toBe('true')
    expect((await check({ ...native, parameters: [':userAddress'], ...rich })).isMet).toBe('true')
    expect((await check({ ...native, parameters: [coin], ...compared('==', 0) })).isMet).toBe('true')
    expect((await check({ ...native, contractAddress: coin, parameters: [], ...rich })).isMet).toBe('true')
  })

  test('the height is that of the chain minus the confirmations', async () => {
    const height = BigInt(String(await anvil.request('eth_blockNumber', [])))
    const block = { ...common, method: 'getBlockNumber', standardContractType: '', ...compared('>', '0') }
    expect((await check(block)).first?.observed).toBe(height.toString())
    const { conditions } = open({ confirmations: 2 })
    expect((await checkAll(conditions, [block], '', holder)).first?.observed).toBe((height - 2n).toString())
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

  test('does not follow a contract that redirects its readers (EIP-3668)', async () => {
    expect((await check(custom('lookup', 'uint256', compared('!=', 0)))).isMet).toBe('false')
    expect(visits).toBe(0)
  })
})

describe('reorganisations', () => {
  test('a reverted transaction does not open, and waits for its confirmations before it does', async () => {
    await using own = await startAnvil()
    const [, , , who] = own.accounts as [Hex, Hex, Hex, Hex]
    const address = await own.deploy(contract('Coin'))
    await own.request('anvil_mine', ['0x5'])
    const condition = erc20({ contractAddress: address })
    const early = open({}, [own.url])
    const late = open({ confirmations: 2 }, [own.url])
    const ask = async ({ conditions, pass }: Opened) => {
      pass()
      return (await checkAll(conditions, [condition], '', who)).isMet
    }
    await own.send(contract('Coin'), address, 'mint', [who, 99n])
    expect([await ask(early), await ask(late)]).toEqual(['true', 'false'])
    await own.request('anvil_reorg', [1, []])
    expect([await ask(early), await ask(late)]).toEqual(['false', 'false'])
    await own.send(contract('Coin'), address, 'mint', [who, 99n])
    await own.request('anvil_mine', ['0x2'])
    expect([await ask(early), await ask(late)]).toEqual(['true', 'true'])
  })

  test('a block that is no longer canonical grants nothing', async () => {
    await using own = await startAnvil()
    const [, , , who] = own.accounts as [Hex, Hex, Hex, Hex]
    const address = await own.deploy(contract('Coin'))
    await own.send(contract('Coin'), address, 'mint', [who, 99n])
    const { conditions } = open({}, [own.url])
    const height = { ...common, method: 'getBlockNumber', standardContractType: '' }
    // The block is cached briefly, then reorganised away, and a balance is read at it.
    expect((await checkAll(conditions, [height], '', who)).isMet).toBe('true')
    await own.request('anvil_reorg', [1, []])
    const { isMet, first } = await checkAll(conditions, [erc20({ contractAddress: address })], '', who)
    expect([isMet, first?.result]).toEqual(['unknown', 'unknown'])
  })
})

test('ignores an endpoint of another chain', async () => {
  const { conditions } = open({ chainId: 1 })
  const { isMet, first } = await checkAll(conditions, [erc20()], '', holder)
  expect([isMet, first?.reason]).toEqual(['unknown', 'the endpoint serves another chain'])
})

test('ignores an endpoint that returns another block than the requested one', async () => {
  const newest = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const answer = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body.replace(/("eth_getBlockByNumber","params":\[)"0x[0-9a-f]+"/, '$1"latest"'),
    })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  await new Promise<void>((resolve) => newest.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(newest.address() as AddressInfo).port}`
    expect((await checkAll(open({}, [url]).conditions, [erc20()], '', holder)).isMet).toBe('true')
    const { conditions } = open({ confirmations: 1 }, [url])
    const { isMet, first } = await checkAll(conditions, [erc20()], '', holder)
    expect([isMet, first?.reasonFacts]).toEqual(['unknown', { code: 'CHAIN_WITHOUT_BLOCK' }])
  } finally {
    newest.closeAllConnections()
    newest.close()
  }
})

test('ignores an endpoint that lags behind', async () => {
  const { conditions, pass } = open({ maxBlockAgeSeconds: 30 })
  expect((await checkAll(conditions, [erc20()], '', holder)).isMet).toBe('true')
  pass()
  const { isMet, first } = await checkAll(conditions, [erc20()], '', holder)
  expect([isMet, first?.reason]).toEqual(['unknown', 'the chain’s endpoint has fallen behind'])
})
