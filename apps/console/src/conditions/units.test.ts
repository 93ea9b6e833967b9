import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromUnits, toUnits } from './units.ts'

test.each([
  ['1.5', 18, '1500000000000000000'],
  ['1,000', 0, '1000'],
  ['0.000001', 6, '1'],
  ['.5', 1, '5'],
  ['007', 0, '7'],
  ['0', 18, '0'],
])('%s with %i decimals is %s', (text, decimals, units) => {
  expect(toUnits(text, decimals)).toBe(units)
})

test('with a decimal comma, points separate groups of digits', () => {
  expect(toUnits('1,5', 1, ',')).toBe('15')
  expect(toUnits('1.500', 1, ',')).toBe('15000')
  expect(toUnits('1.234.567,8', 1, ',')).toBe('12345678')
  expect(toUnits('1,500', 1, ',')).toBe('15')
  expect(toUnits('1.5', 1, ',')).toBeUndefined()
  expect(toUnits('1,5,0', 1, ',')).toBeUndefined()
})

test.each([
  ['0.1234', ','],
  ['0.500', ','],
  ['1.5000', ','],
  ['12.34.567', ','],
  ['0,1234', '.'],
  ['1,5000', '.'],
  ['1.234 567', '.'],
] as const)('does not drop the separator of %s when %s is the decimal sign', (text, sign) => {
  expect(toUnits(text, 18, sign)).toBeUndefined()
})

test.each([
  ['', 18],
  ['.', 18],
  ['1.23', 1],
  ['-1', 0],
  ['1e3', 0],
  ['0x10', 0],
  ['9'.repeat(79), 0],
])('%s is not an amount', (text, decimals) => {
  expect(toUnits(text, decimals)).toBeUndefined()
})

test('an amount survives conversion in both directions', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 200n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      expect(toUnits(fromUnits(String(units), decimals), decimals)).toBe(String(units))
    }),
  )
})
