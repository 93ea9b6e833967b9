import { describe, expect, test } from 'vitest'
import { namesUser, resolveExpected, resolveParameters } from './placeholders.ts'

const identity = `0x${'ab'.repeat(20)}`
const asker = (dynamicData: Record<string, unknown> = {}) => ({ identity, dynamicData })

describe('parameters', () => {
  test('insert the caller, in arrays too', () => {
    expect(resolveParameters([':userAddress', [':userAddress', '1'], 7, true], 1, asker())).toEqual({
      kind: 'resolved',
      parameters: [identity, [identity, '1'], 7, true],
    })
  })

  test('insert values of the request, by the id of the condition', () => {
    const data = { '1.proof': ['0x01', '0x02'], '1.amount': 5, '2.amount': 6 }
    expect(resolveParameters([':proof', ':amount', [':amount']], 1, asker(data))).toEqual({
      kind: 'resolved',
      parameters: [['0x01', '0x02'], 5, [5]],
    })
  })

  test('cannot insert another account for the caller', () => {
    const data = { '1.userAddress': '0xother', userAddress: '0xother' }
    expect(resolveParameters([':userAddress'], 1, asker(data))).toMatchObject({ parameters: [identity] })
  })

  test('are not resolved again in inserted values', () => {
    const data = { '1.a': ':userAddress', '1.b': ':a' }
    expect(resolveParameters([':a', ':b'], 1, asker(data))).toMatchObject({ parameters: [':userAddress', ':a'] })
  })

  test.each<[string, Record<string, unknown>]>([
    ['nothing given', {}],
    ['given to another condition', { '2.a': 1 }],
    ['an object', { '1.a': { toString: 1 } }],
    ['null', { '1.a': null }],
    ['a number that lost digits', { '1.a': 2 ** 60 }],
    ['a text too long', { '1.a': 'x'.repeat(2000) }],
    ['an array too long', { '1.a': Array(33).fill(1) }],
    ['only by the prototype', Object.create({ '1.a': 1 })],
  ])('%s is missing', (_what, data) => {
    expect(resolveParameters([':a', [':a']], 1, asker(data))).toEqual({
      kind: 'unresolved',
      reason: 'dynamicData is missing a value for 1.a',
      reasonFacts: { code: 'VALUES_MISSING', values: { names: '1.a' } },
    })
  })

  test('do not insert an array as an item of an array', () => {
    expect(resolveParameters([[':a']], 1, asker({ '1.a': [1] }))).toMatchObject({ kind: 'unresolved' })
  })

  test('leave similar texts unchanged', () => {
    const given = ['::a', ': a', 'userAddress', ':user-address', '1:a', ':']
    expect(resolveParameters(given, 1, asker())).toEqual({ kind: 'resolved', parameters: given })
  })
})

test('the compared value can be the caller, but no other parameter', () => {
  expect(resolveExpected(':userAddress', identity)).toBe(identity)
  expect(resolveExpected([':userAddress', 1], identity)).toEqual([identity, 1])
  expect(resolveExpected(':a', identity)).toBe(':a')
  expect([namesUser(':userAddress'), namesUser([[':userAddress'] as never]), namesUser(':a')]).toEqual([
    true,
    true,
    false,
  ])
})
