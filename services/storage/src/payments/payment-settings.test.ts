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
  expect(networks[0]?.tokens).toEqual([{ coin: 'usdc', address: `0x${'ab'.repeat(20)}`, decimals: 6 }])
})
