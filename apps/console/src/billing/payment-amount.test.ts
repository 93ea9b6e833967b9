import type { ChainProfile, NetworkProfile } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { describeAmount, describeValue } from './payment-amount.ts'

const chain: ChainProfile = {
  ...{ name: 'polygon', chainId: 137, rpcUrl: 'http://127.0.0.1:8545', symbol: 'POL', nativeDecimals: 18 },
  ...{ paymentContract: `0x${'12'.repeat(20)}`, tokens: { dai: { address: `0x${'34'.repeat(20)}`, decimals: 18 } } },
}
const url = 'http://127.0.0.1:4000'
const profile: NetworkProfile = { name: 'test', api: url, upload: url, gateway: url, chains: [chain] }

test('shows a payment with an unsupported coin or chain in whole coins', () => {
  const usdc = { coin: 'usdc', units: '5000000', network: 'polygon', price: '1' }
  expect(describeAmount({ coin: 'dai', units: '1500000000000000000', network: 'polygon' }, profile)).toBe(
    '1.5\u00a0DAI',
  )
  expect(describeAmount(usdc, profile)).toBe('5\u00a0USDC')
  expect(describeValue(usdc, profile)).toBe('$5.00')
  const fil = { coin: 'native', units: '2000000000000000000', network: 'filecoin' }
  expect(describeAmount(fil, profile)).toBe('2\u00a0FIL')
})

test('shows an unknown coin in its smallest units', () => {
  expect(describeAmount({ coin: 'other', units: '7', network: 'polygon' }, profile)).toBe('7\u00a0other')
  expect(describeAmount({ coin: 'native', units: '7', network: 'elsewhere' }, profile)).toBe('7\u00a0native')
})
