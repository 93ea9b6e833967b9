import { expect, test } from 'vitest'
import { isEvmAddress } from './address.ts'
import { defaultNetwork, isNetworkName, networks, stablecoins } from './networks.ts'

test('has the chain ids of the specification', () => {
  const ids = { polygon: 137, fantom: 250, binance: 56, optimism: 10, filecoin: 314, calibration: 314159 }
  for (const [name, chainId] of Object.entries(ids)) expect(isNetworkName(name) && networks[name].chainId).toBe(chainId)
  expect(defaultNetwork).toBe('polygon')
})

test.each(Object.values(networks))(
  '$name has decimals for its coin and every token, so that no price is 0',
  (network) => {
    expect(network.nativeDecimals).toBe(18)
    for (const coin of stablecoins) {
      const { decimals, contracts } = network.tokens[coin]
      expect([6, 18]).toContain(decimals)
      for (const { address } of contracts) expect(isEvmAddress(address)).toBe(true)
    }
    const addresses = stablecoins.flatMap((coin) => network.tokens[coin].contracts.map(({ address }) => address))
    expect(new Set(addresses.map((address) => address.toLowerCase())).size).toBe(addresses.length)
  },
)

/** Names of the specification, which clients understand even if the chain was shut down. */
const specified = [
  'polygon',
  'fantom',
  'binance',
  'optimism',
  'filecoin',
  'calibration',
  'fantom-testnet',
  'polygon-testnet',
  'binance-testnet',
  'optimism-testnet',
  'wallaby-testnet',
]

test('has every network of the specification and those in use today', () => {
  for (const name of specified) expect(isNetworkName(name)).toBe(true)
  const others = Object.keys(networks).filter((name) => !specified.includes(name))
  expect(others.sort()).toEqual(['amoy', 'arbitrum', 'base', 'base-sepolia', 'sepolia'])
  expect(isNetworkName('toString')).toBe(false)
})

test('marks chains that were shut down', () => {
  const retired = Object.values(networks).filter((network) => 'retired' in network)
  expect(retired.map(({ name }) => name)).toEqual(['polygon-testnet', 'optimism-testnet', 'wallaby-testnet'])
})

test('has the chain ids of the networks in use today', () => {
  const ids = { base: 8453, arbitrum: 42161, sepolia: 11155111, 'base-sepolia': 84532, amoy: 80002 }
  for (const [name, id] of Object.entries(ids)) expect(isNetworkName(name) && networks[name].chainId).toBe(id)
})

test('the defaults include native and bridged coins but no tokens without a backing', () => {
  expect(stablecoins.flatMap((coin) => [...networks.fantom.tokens[coin].contracts])).toEqual([])
  for (const name of ['polygon', 'optimism', 'arbitrum', 'base'] as const) {
    expect(networks[name].tokens.usdc.contracts.map(({ symbol }) => symbol)).toEqual([
      'USDC',
      name === 'base' ? 'USDbC' : 'USDC.e',
    ])
  }
})
