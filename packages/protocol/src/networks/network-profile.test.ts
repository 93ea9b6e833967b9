import { expect, test } from 'vitest'
import { parseNetworkProfile, tokensOf } from './network-profile.ts'

const minimal = {
  name: 'local',
  api: 'http://127.0.0.1:8080',
  upload: 'http://127.0.0.1:8080',
  gateway: 'http://127.0.0.1:8081',
}

test('omits parts that do not exist yet', () => {
  expect(parseNetworkProfile(minimal)).toEqual(minimal)
})

test('a chain lists one contract per coin for older clients, and all contracts for newer ones', () => {
  const chain = {
    name: 'polygon',
    rpcUrl: 'http://127.0.0.1:8545',
    chainId: 137,
    symbol: 'MATIC',
    nativeDecimals: 18,
    tokens: { usdc: { address: '0xa', decimals: 6 } },
  }
  const [old] = parseNetworkProfile({ ...minimal, chains: [chain] }).chains ?? []
  expect(old && tokensOf(old, 'usdc')).toEqual([{ coin: 'usdc', symbol: 'USDC', address: '0xa', decimals: 6 }])
  expect(old && tokensOf(old, 'dai')).toEqual([])
  const tokenList = [
    { coin: 'usdc', symbol: 'USDC', address: '0xa', decimals: 6 },
    { coin: 'usdc', symbol: 'USDC.e', address: '0xb', decimals: 6, floor: { symbol: 'USDC', price: 0.97 } },
    { coin: 'dai', symbol: 'DAI', address: '0xc', decimals: 18 },
  ]
  const [listed] = parseNetworkProfile({ ...minimal, chains: [{ ...chain, tokenList }] }).chains ?? []
  expect(listed && tokensOf(listed, 'usdc').map(({ address }) => address)).toEqual(['0xa', '0xb'])
})

test('rejects a profile with a wrong address', () => {
  expect(() => parseNetworkProfile({ ...minimal, api: 'localhost' })).toThrow('URL')
  expect(() => parseNetworkProfile({})).toThrow()
})
