import { expect, test } from 'vitest'
import { isEvmAddress } from './address.ts'
import { defaultNetwork, isNetworkName, networks, stablecoins } from './networks.ts'

test('the chain ids of the specification', () => {
  const ids = { polygon: 137, fantom: 250, binance: 56, optimism: 10, filecoin: 314, calibration: 314159 }
  for (const [name, chainId] of Object.entries(ids)) expect(isNetworkName(name) && networks[name].chainId).toBe(chainId)
  expect(defaultNetwork).toBe('polygon')
})

test.each(Object.values(networks))(
  '$name has decimals for its coin and every token, so that no price is 0',
  (network) => {
    expect(network.nativeDecimals).toBe(18)
    for (const coin of stablecoins) {
      const token = network.tokens[coin]
      expect([6, 18]).toContain(token.decimals)
      if ('address' in token) expect(isEvmAddress(token.address)).toBe(true)
    }
  },
)

test('every network of the specification is named', () => {
  expect(Object.keys(networks).sort()).toEqual(
    [
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
    ].sort(),
  )
  expect(isNetworkName('toString')).toBe(false)
})
