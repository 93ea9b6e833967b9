import { expect, test } from 'vitest'
import { describeCondition, describeObserved } from './describe-condition.ts'
import { templates } from './templates.ts'

test('shows the value of the chain in the unit of the sentence', () => {
  const balance = { id: 1, ...templates.balance.create('local') }
  const ether = { symbol: 'ETH' }
  expect(describeCondition('EVM', balance, ether)).toBe('Anyone who has at least 1\u00a0ETH on local')
  expect(describeObserved('EVM', balance, '1', ether)).toBe('0.000000000000000001\u00a0ETH')
  expect(describeObserved('EVM', balance, '49000000000000000000', ether)).toBe('49\u00a0ETH')
  const lamports = { id: 1, ...templates.solanaBalance.create('DEVNET') }
  expect(describeObserved('SOLANA', lamports, '1500000000')).toBe('1.5\u00a0SOL')
})

test('shows a chain with an unknown coin without a symbol', () => {
  const balance = { id: 1, ...templates.balance.create('Elsewhere') }
  expect(describeCondition('EVM', balance)).toBe('Anyone who has at least 1 of the native coin on Elsewhere')
})

test('shows an amount of a token in smallest units until its decimals are known', () => {
  const token = { id: 1, ...templates.erc20.create('local') }
  expect(describeObserved('EVM', token, '2500000')).toBe('2500000 smallest units')
  expect(describeCondition('EVM', token)).toContain('1 smallest unit of the token')
  const units = { symbol: 'USDC', tokenDecimals: 6 }
  expect(describeObserved('EVM', token, '2500000', units)).toBe('2.5\u00a0USDC')
  expect(describeCondition('EVM', token, units)).toContain('0.000001 of the token')
})

test('shows a value that is not an amount as the chain returned it', () => {
  expect(describeObserved('EVM', { id: 1, ...templates.block.create('local') }, '12')).toBe('12')
  expect(describeObserved('EVM', { id: 1, ...templates.balance.create('local') }, 'no answer')).toBe('no answer')
  expect(describeObserved('EVM', { id: 1, ...templates.custom.create('local') }, true)).toBe('true')
})

test('does not say “anyone who has” for the balance of a fixed address', () => {
  const other = `0x${'12'.repeat(20)}`
  const balance = { id: 1, ...templates.balance.create('local') }
  expect(describeCondition('EVM', { ...balance, parameters: [other] })).toBe(
    'getBalance(0x12121212…121212) on local at least 1000000000000000000',
  )
  const own = { ...balance, parameters: [':userAddress'] }
  expect(describeCondition('EVM', own)).toContain('Anyone who has at least 1')
  for (const [chainType, name] of [
    ['SOLANA', 'solanaBalance'],
    ['SOLANA', 'solanaToken'],
    ['COREUM', 'coreumToken'],
    ['COREUM', 'coreumClass'],
  ] as const) {
    const condition = { id: 1, ...templates[name].create('MAINNET') }
    expect(describeCondition(chainType, { ...condition, parameters: ['another'] })).toContain('(another) on MAINNET')
    expect(describeCondition(chainType, { ...condition, parameters: [] })).toContain('Anyone who')
  }
})
