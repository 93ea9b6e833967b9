import { expect, test } from 'vitest'
import { describeCondition, describeObserved } from './describe-condition.ts'
import { templates } from './templates.ts'

test('what the chain said is in the unit of the sentence', () => {
  const balance = { id: 1, ...templates.balance.create('local') }
  expect(describeCondition('EVM', balance)).toBe('Anyone who has at least 1 coins on local')
  expect(describeObserved('EVM', balance, '1')).toBe('0.000000000000000001')
  expect(describeObserved('EVM', balance, '49000000000000000000')).toBe('49')
  const lamports = { id: 1, ...templates.solanaBalance.create('DEVNET') }
  expect(describeObserved('SOLANA', lamports, '1500000000')).toBe('1.5')
})

test('an amount of a token is in smallest units until its decimals are known', () => {
  const token = { id: 1, ...templates.erc20.create('local') }
  expect(describeObserved('EVM', token, '2500000')).toBe('2500000 smallest units')
  expect(describeObserved('EVM', token, '2500000', 6)).toBe('2.5')
})

test('what is no amount stays as the chain said it', () => {
  expect(describeObserved('EVM', { id: 1, ...templates.block.create('local') }, '12')).toBe('12')
  expect(describeObserved('EVM', { id: 1, ...templates.balance.create('local') }, 'no answer')).toBe('no answer')
  expect(describeObserved('EVM', { id: 1, ...templates.custom.create('local') }, true)).toBe('true')
})
