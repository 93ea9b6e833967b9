import type { NetworkProfile } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { describeAmount } from './amounts.ts'

const chain = {
  name: 'local',
  rpcUrl: 'http://c',
  chainId: 1,
  symbol: 'ETH',
  nativeDecimals: 18,
  tokens: { usdc: { address: '0xAa', decimals: 6 } },
}
const network: NetworkProfile = { name: 'n', api: 'http://a', upload: 'http://a', gateway: 'http://a', chain }

test.each([
  [{ coin: 'native', units: '100000000000000000000', network: 'local' }, '100 ETH'],
  [{ coin: 'usdc', units: '4000000', network: 'local', token: '0xaa' }, '4 USDC'],
  [{ coin: 'usdc', units: '3906' }, '0.003906 USDC'],
  [{ coin: 'usdc', units: '3906', network: 'local', token: '0xbb' }, '3906 units of usdc'],
  [{ coin: '', units: '7', network: 'local', token: '0xbb' }, '7 units of 0xbb'],
  [{ coin: 'native', units: '7', network: 'gone' }, '7 units of native'],
])('%j is %s', (amount, expected) => expect(describeAmount(network, amount)).toBe(expected))
