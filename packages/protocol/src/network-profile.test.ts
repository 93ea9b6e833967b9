import { expect, test } from 'vitest'
import { parseNetworkProfile, tokensOf } from './network-profile.ts'

const least = {
  name: 'local',
  api: 'http://127.0.0.1:8080',
  upload: 'http://127.0.0.1:8080',
  gateway: 'http://127.0.0.1:8081',
}

test('parts that are not there yet are absent', () => {
  expect(parseNetworkProfile(least)).toEqual(least)
})

test('a chain has one contract of each coin for clients that know one, and a list of all for those that know more', () => {
  const chain = {
    name: 'polygon',
    rpcUrl: 'http://127.0.0.1:8545',
    chainId: 137,
    symbol: 'MATIC',
    nativeDecimals: 18,
    tokens: { usdc: { address: '0xa', decimals: 6 } },
  }
  const [old] = parseNetworkProfile({ ...least, chains: [chain] }).chains ?? []
  expect(old && tokensOf(old, 'usdc')).toEqual([{ coin: 'usdc', symbol: 'USDC', address: '0xa', decimals: 6 }])
  expect(old && tokensOf(old, 'dai')).toEqual([])
  const tokenList = [
    { coin: 'usdc', symbol: 'USDC', address: '0xa', decimals: 6 },
    { coin: 'usdc', symbol: 'USDC.e', address: '0xb', decimals: 6, floor: { symbol: 'USDC', price: 0.97 } },
    { coin: 'dai', symbol: 'DAI', address: '0xc', decimals: 18 },
  ]
  const [listed] = parseNetworkProfile({ ...least, chains: [{ ...chain, tokenList }] }).chains ?? []
  expect(listed && tokensOf(listed, 'usdc').map(({ address }) => address)).toEqual(['0xa', '0xb'])
})

test('a profile with a wrong address is refused', () => {
  expect(() => parseNetworkProfile({ ...least, api: 'localhost' })).toThrow('URL')
  expect(() => parseNetworkProfile({})).toThrow()
})
