import { expect, test } from 'vitest'
import { parsePaymentSettings } from './payment-settings.ts'

const contract = `0x${'1'.repeat(40)}`
const minimal = { rpcUrls: ['http://127.0.0.1:8545'], contract }

test('empty settings disable payments', () => {
  expect(parsePaymentSettings('')).toEqual({ networks: [], prices: [] })
})

test.each([
  ['no JSON', '{', 'not JSON'],
  ['a field that is unknown', { networks: { polygon: { ...minimal, speed: 1 } } }, 'networks.polygon.speed'],
  [
    'an endpoint that is none',
    { networks: { polygon: { ...minimal, rpcUrls: ['ftp://x'] } } },
    'networks.polygon.rpcUrls.0',
  ],
  ['a contract that is none', { networks: { polygon: { ...minimal, contract: '0x12' } } }, 'networks.polygon.contract'],
  ['an unknown network without its chain', { networks: { moon: minimal } }, 'networks.moon: chainId and symbol'],
  [
    'two of one chain',
    { networks: { polygon: minimal, other: { ...minimal, chainId: 137, symbol: 'X' } } },
    'same chain id',
  ],
  [
    'a feed of nowhere',
    { networks: {}, prices: { X: { feeds: [{ address: contract, heartbeatSeconds: 9, network: 'moon' }] } } },
    'prices.X',
  ],
  [
    'a chain that was shut down',
    { networks: { 'polygon-testnet': minimal } },
    'networks.polygon-testnet: the chain 80001 was shut down',
  ],
  [
    'an endpoint twice',
    { networks: { polygon: { ...minimal, rpcUrls: ['http://a.test', 'http://a.test/'] } } },
    'twice',
  ],
  [
    'a quorum that two answers could have',
    { networks: { polygon: { ...minimal, rpcUrls: ['http://a.test', 'http://b.test'], quorum: 1 } } },
    'networks.polygon.quorum: 1 of 2 endpoints is not possible. Use 2 to 2',
  ],
  [
    'tokens of one coin that differ in their decimals',
    {
      networks: {
        polygon: {
          ...minimal,
          tokens: {
            usdc: [
              { address: contract, decimals: 6 },
              { address: `0x${'2'.repeat(40)}`, decimals: 18 },
            ],
          },
        },
      },
    },
    'different decimals',
  ],
  [
    'a token twice',
    { networks: { polygon: { ...minimal, tokens: { usdc: { address: contract }, usdt: { address: contract } } } } },
    'appears twice',
  ],
  [
    'a price source of a token that is not there',
    { networks: { polygon: { ...minimal, tokens: { usdc: { address: contract, price: 'USDCE' } } } } },
    'networks.polygon.tokens.usdc: the price source USDCE does not exist',
  ],
  [
    'a finality of both',
    { networks: { polygon: { ...minimal, finality: { tag: 'safe', blocks: 3 } } } },
    'networks.polygon.finality',
  ],
])('rejects %s by name', (_what, settings, name) => {
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
  expect(() => parsePaymentSettings(text)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(name) }),
  )
})

test('given tokens replace the defaults; addresses are compared in lower case', () => {
  const usdc = { address: `0x${'AB'.repeat(20)}` }
  const { networks } = parsePaymentSettings(JSON.stringify({ networks: { polygon: { ...minimal, tokens: { usdc } } } }))
  expect(networks[0]?.tokens).toEqual([
    { coin: 'usdc', address: `0x${'ab'.repeat(20)}`, decimals: 6, symbol: 'USDC', floor: undefined },
  ])
})

test('fills in known values of a network: native and bridged tokens, none that lost their backing', () => {
  const { networks } = parsePaymentSettings(
    JSON.stringify({
      networks: { polygon: minimal, fantom: minimal, base: minimal },
      prices: { USDC: { feeds: [{ network: 'base', address: contract, heartbeatSeconds: 9 }] } },
    }),
  )
  const [polygon, fantom, base] = networks
  const floor = { symbol: 'USDC', price: 0.97 }
  expect(polygon?.tokens.map(({ symbol, floor: own }) => [symbol, own])).toEqual([
    ['USDC', floor],
    ['USDC.e', floor],
    ['USDT', undefined],
    ['DAI', undefined],
  ])
  expect(fantom?.tokens).toEqual([])
  expect(base).toMatchObject({ chainId: 8453, symbol: 'ETH' })
})

test('a custom chain can have the name of one that was shut down', () => {
  const own = { ...minimal, chainId: 4242, symbol: 'OWN' }
  const { networks } = parsePaymentSettings(JSON.stringify({ networks: { 'polygon-testnet': own } }))
  expect(networks).toMatchObject([{ name: 'polygon-testnet', chainId: 4242, tokens: [] }])
})

test('the quorum is more than half of the endpoints; a feed uses the quorum of its network', () => {
  const urls = ['http://a.test', 'http://b.test', 'http://c.test']
  const read = (rpcUrls: string[], quorum?: number) =>
    parsePaymentSettings(
      JSON.stringify({
        networks: { polygon: { ...minimal, rpcUrls, ...(quorum === undefined ? {} : { quorum }) } },
        prices: { MATIC: { feeds: [{ network: 'polygon', address: contract, heartbeatSeconds: 9 }] } },
      }),
    )
  expect([1, 2, 3].map((count) => read(urls.slice(0, count)).networks[0]?.quorum)).toEqual([1, 2, 2])
  const { networks, prices } = read(urls, 3)
  expect(networks[0]?.quorum).toBe(3)
  expect(prices[0]?.feeds).toMatchObject([{ rpcUrls: urls, quorum: 3 }])
})

test.each([
  [{ contract: '0x12' }, 'networks.polygon.contract must be 0x and 40 hex digits, but is "0x12"'],
  [{ contract: undefined }, 'networks.polygon.contract is required'],
  [{ pollMs: 5 }, 'networks.polygon.pollMs must be at least 50, but is 5'],
  [
    { finality: { tag: 'soon' } },
    'networks.polygon.finality must have a tag (finalized or safe), or blocks from 0 to 100000, but is an object',
  ],
  [
    { rpcUrls: ['https//rpc.example/v2/access'] },
    'networks.polygon.rpcUrls.0 must be a URL; networks.polygon.rpcUrls.0 must be an http or https URL',
  ],
  [{ tokens: { usdc: { address: 'x' } } }, 'networks.polygon.tokens.usdc.address must be 0x and 40 hex digits'],
  [{ gas: 1 }, 'networks.polygon.gas is not allowed'],
])('describes a wrong setting %j by field and rule', (change, problem) => {
  const text = JSON.stringify({ networks: { polygon: { ...minimal, ...change } } })
  expect(() => parsePaymentSettings(text)).toThrow(
    expect.objectContaining({ message: `CAIRN_PAYMENTS is not valid: ${problem}` }),
  )
})
