import { expect, test } from 'vitest'
import { parsePaymentSettings } from './payment-settings.ts'

const contract = `0x${'1'.repeat(40)}`
const least = { rpcUrls: ['http://127.0.0.1:8545'], contract }

test('nothing is no payments', () => {
  expect(parsePaymentSettings('')).toEqual({ networks: [], prices: [] })
})

test.each([
  ['no JSON', '{', 'not JSON'],
  ['a field that is unknown', { networks: { polygon: { ...least, speed: 1 } } }, 'networks.polygon.speed'],
  [
    'an endpoint that is none',
    { networks: { polygon: { ...least, rpcUrls: ['ftp://x'] } } },
    'networks.polygon.rpcUrls.0',
  ],
  ['a contract that is none', { networks: { polygon: { ...least, contract: '0x12' } } }, 'networks.polygon.contract'],
  ['an unknown network without its chain', { networks: { moon: least } }, 'networks.moon: chainId and symbol'],
  [
    'two of one chain',
    { networks: { polygon: least, other: { ...least, chainId: 137, symbol: 'X' } } },
    'same chain id',
  ],
  [
    'a feed of nowhere',
    { networks: {}, prices: { X: { feeds: [{ address: contract, heartbeatSeconds: 9, network: 'moon' }] } } },
    'prices.X',
  ],
  [
    'a chain that was shut down',
    { networks: { 'polygon-testnet': least } },
    'networks.polygon-testnet: the chain 80001 was shut down',
  ],
  ['an endpoint twice', { networks: { polygon: { ...least, rpcUrls: ['http://a.test', 'http://a.test/'] } } }, 'twice'],
  [
    'a quorum that two answers could have',
    { networks: { polygon: { ...least, rpcUrls: ['http://a.test', 'http://b.test'], quorum: 1 } } },
    'networks.polygon.quorum: 1 of 2 endpoints is not possible, give 2 to 2',
  ],
  [
    'tokens of one coin that differ in their decimals',
    {
      networks: {
        polygon: {
          ...least,
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
    { networks: { polygon: { ...least, tokens: { usdc: { address: contract }, usdt: { address: contract } } } } },
    'is given twice',
  ],
  [
    'a price source of a token that is not there',
    { networks: { polygon: { ...least, tokens: { usdc: { address: contract, price: 'USDCE' } } } } },
    'networks.polygon.tokens.usdc: there is no price source USDCE',
  ],
  [
    'a finality of both',
    { networks: { polygon: { ...least, finality: { tag: 'safe', blocks: 3 } } } },
    'networks.polygon.finality',
  ],
])('%s is refused, and named', (_what, settings, name) => {
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
  expect(() => parsePaymentSettings(text)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(name) }),
  )
})

test('tokens that are given are all there are; addresses are compared in lower case', () => {
  const usdc = { address: `0x${'AB'.repeat(20)}` }
  const { networks } = parsePaymentSettings(JSON.stringify({ networks: { polygon: { ...least, tokens: { usdc } } } }))
  expect(networks[0]?.tokens).toEqual([
    { coin: 'usdc', address: `0x${'ab'.repeat(20)}`, decimals: 6, symbol: 'USDC', floor: undefined },
  ])
})

test('what is known of a network need not be said: native and bridged tokens, none that lost their backing', () => {
  const { networks } = parsePaymentSettings(
    JSON.stringify({
      networks: { polygon: least, fantom: least, base: least },
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

test('a chain of one’s own may have the name of one that was shut down', () => {
  const own = { ...least, chainId: 4242, symbol: 'OWN' }
  const { networks } = parsePaymentSettings(JSON.stringify({ networks: { 'polygon-testnet': own } }))
  expect(networks).toMatchObject([{ name: 'polygon-testnet', chainId: 4242, tokens: [] }])
})

test('the quorum is more than half of the endpoints; a feed of a network has that network’s', () => {
  const urls = ['http://a.test', 'http://b.test', 'http://c.test']
  const read = (rpcUrls: string[], quorum?: number) =>
    parsePaymentSettings(
      JSON.stringify({
        networks: { polygon: { ...least, rpcUrls, ...(quorum === undefined ? {} : { quorum }) } },
        prices: { MATIC: { feeds: [{ network: 'polygon', address: contract, heartbeatSeconds: 9 }] } },
      }),
    )
  expect([1, 2, 3].map((count) => read(urls.slice(0, count)).networks[0]?.quorum)).toEqual([1, 2, 2])
  const { networks, prices } = read(urls, 3)
  expect(networks[0]?.quorum).toBe(3)
  expect(prices[0]?.feeds).toMatchObject([{ rpcUrls: urls, quorum: 3 }])
})
