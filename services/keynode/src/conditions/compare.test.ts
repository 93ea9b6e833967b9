import type { Comparator, ExpectedValue } from '@cairn/protocol'
import { abiTypes } from '@cairn/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare, findForegone, findMismatch, parseValue } from './compare.ts'
import type { Observed } from './reader.ts'

/** Factor for the number of random cases: 20 in long runs. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)
const maxUint256 = 2n ** 256n - 1n

function holds(observed: Observed, type: string, comparator: string, value: ExpectedValue): boolean | undefined {
  return compare(observed, type, { comparator: comparator as Comparator, value })
}

describe('integers of any size', () => {
  test.each<[bigint, string, ExpectedValue, boolean]>([
    [9007199254740993n, '==', '9007199254740993', true],
    [9007199254740993n, '==', '9007199254740992', false],
    [10n, '>', '9', true],
    [10n, '>', 9, true],
    [255n, '==', '0xFF', true],
    [maxUint256, '>=', maxUint256.toString(), true],
    [maxUint256, '>', `0x${'f'.repeat(64)}`, false],
    [-5n, '<', '-4', true],
    [-5n, '<', 0, true],
    [5n, '!=', '6', true],
    [5n, '!=', '+5', false],
    [5n, '<=', ' 5 ', true],
  ])('%s %s %o is %s', (observed, comparator, value, expected) => {
    expect(holds(observed, 'int256', comparator, value)).toBe(expected)
  })
})

describe('tests with a fixed outcome', () => {
  test.each<[string, string, ExpectedValue, ReturnType<typeof findForegone>]>([
    ['uint256', '>=', '-1', 'outside'],
    ['uint256', '>', -1, 'outside'],
    ['uint256', '!=', '-1', 'outside'],
    ['uint256', '==', `0x1${'0'.repeat(64)}`, undefined],
    ['uint256', '>=', '0', 'open'],
    ['uint256', '>=', ['0', 0], undefined],
    ['uint256[]', '>=', ['0', 0], 'open'],
    ['uint256[]', '>=', ['5', 0], undefined],
    ['uint256[]', '>=', ['5', '-5'], 'outside'],
    ['uint256[]', '<', 0, 'never'],
    ['uint256', '<=', maxUint256.toString(), 'always'],
    ['uint256', '>', maxUint256.toString(), 'never'],
    ['uint256', '<', 0, 'never'],
    ['uint256', '<=', 0, undefined],
    ['uint256', '>', 0, undefined],
    ['uint8', '<', '256', 'outside'],
    ['uint8', '<=', '255', 'always'],
    ['uint8', '!=', '300', 'outside'],
    ['int8', '>=', '-128', 'always'],
    ['int8', '>=', '0', undefined],
    ['int8', '>', '-129', 'outside'],
    ['bool', '!=', 'true', undefined],
    ['address', '!=', `0x${'0'.repeat(40)}`, undefined],
    ['text', '==', '-1', undefined],
  ])('%s %s %o: %s', (type, comparator, value, expected) => {
    expect(findForegone({ comparator: comparator as Comparator, value }, type)).toBe(expected)
  })

  const integers = abiTypes.filter((type) => /^u?int\d+$/.test(type))
  test('agrees with the true result at the ends of a type and beside the value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...integers),
        fc.constantFrom<Comparator>('==', '!=', '>=', '<=', '>', '<'),
        fc.oneof(fc.bigInt({ min: -300n, max: 300n }), fc.bigInt({ min: -(2n ** 257n), max: 2n ** 257n })),
        fc.integer({ min: -1, max: 1 }),
        (type, comparator, anywhere, beside) => {
          const [, unsigned, bits = '0'] = /^(u?)int(\d+)$/.exec(type) ?? []
          const least = unsigned === 'u' ? 0n : -(2n ** (BigInt(bits) - 1n))
          const greatest = least + 2n ** BigInt(bits) - 1n
          for (const value of [anywhere, least + BigInt(beside), greatest + BigInt(beside)]) {
            const text = value.toString()
            if (text.replace('-', '').length > 78) continue
            const seen = [least, least + 1n, value - 1n, value, value + 1n, greatest - 1n, greatest]
              .filter((one) => one >= least && one <= greatest)
              .map((one) => compare(one, type, { comparator, value: text }))
            const found = findForegone({ comparator, value: text }, type)
            const isSame = seen.every((one) => one === seen[0])
            expect(found !== undefined, `${type} ${comparator} ${text}`).toBe(isSame)
            if (found === 'always' || found === 'open') expect(seen[0]).toBe(true)
            if (found === 'never') expect(seen[0]).toBe(false)
          }
        },
      ),
      { numRuns: 200 * fuzz },
    )
  })
})

describe('values that cannot be compared', () => {
  test.each<[string, string, ExpectedValue]>([
    ['uint256', '==', '1.5'],
    ['uint256', '==', '1e3'],
    ['uint256', '==', ''],
    ['uint256', '==', '0x'],
    ['uint256', '==', 'true'],
    ['uint256', '==', '1'.repeat(79)],
    ['uint256', '==', ['1']],
    ['bool', '>', 'true'],
    ['bool', '==', '1'],
    ['bool', '==', 1],
    ['address', '<', `0x${'1'.repeat(40)}`],
    ['address', '==', '0x12'],
    ['address', '==', 5],
    ['bytes4', '==', '0x1234'],
    ['bytes4', '==', '12345678'],
    ['text', '>=', 'a'],
    ['text', '==', 1],
    ['bool[]', '<=', 'true'],
    ['uint8[]', '==', ['1', 'x']],
  ])('%s %s %o', (type, comparator, value) => {
    expect(findMismatch({ comparator: comparator as Comparator, value }, type)).toMatchObject({
      reason: expect.any(String),
    })
    expect(holds(1n, type, comparator, value)).toBeUndefined()
  })
})

test.each<[Observed, string, string, ExpectedValue, boolean]>([
  [true, 'bool', '==', 'true', true],
  [true, 'bool', '!=', 'TRUE', false],
  [false, 'bool', '==', 'false', true],
  [`0x${'ab'.repeat(20)}`, 'address', '==', `0x${'AB'.repeat(20)}`, true],
  [`0x${'ab'.repeat(20)}`, 'address', '!=', `0x${'AC'.repeat(20)}`, true],
  ['0x12345678', 'bytes4', '==', '0x12345678', true],
  ['GoL', 'text', '==', 'GoL', true],
  ['GoL', 'text', '==', 'gol', false],
])('%s as %s %s %o is %s', (observed, type, comparator, value, expected) => {
  expect(holds(observed, type, comparator, value)).toBe(expected)
})

describe('arrays', () => {
  test.each<[Observed, string, ExpectedValue, boolean]>([
    [[3n, 4n], '>=', '3', true],
    [[3n, 2n], '>=', '3', false],
    [[3n, 4n], '==', ['3', '4'], true],
    [[3n, 4n], '==', ['3'], false],
    [[3n], '==', ['3', '4'], false],
    [[3n, 4n], '!=', ['3', '5'], false],
    [[3n, 4n], '!=', ['1'], false],
    // An empty list never grants access.
    [[], '>=', '0', false],
    [[], '!=', '0', false],
  ])('%o %s %o is %s', (observed, comparator, value, expected) => {
    expect(holds(observed, 'uint256[]', comparator, value)).toBe(expected)
  })
})

describe('properties', () => {
  const integer = fc.bigInt({ min: -(2n ** 255n), max: maxUint256 })
  const operators: Record<Comparator, (order: number) => boolean> = {
    '==': (order) => order === 0,
    '!=': (order) => order !== 0,
    '>': (order) => order > 0,
    '<': (order) => order < 0,
    '>=': (order) => order >= 0,
    '<=': (order) => order <= 0,
  }

  /** Compares by sign, length and digits: shares no code with the implementation under test. */
  function orderOf(a: bigint, b: bigint): number {
    const [x, y] = [a.toString(), b.toString()]
    const sign = Number(y.startsWith('-')) - Number(x.startsWith('-'))
    if (sign !== 0) return sign
    const size = x.length === y.length ? (x < y ? -1 : x > y ? 1 : 0) : x.length - y.length
    return x.startsWith('-') ? -size : size
  }

  test('integers sort as their digits do', { timeout: 600_000 }, () => {
    const near = integer.chain((a) =>
      fc.tuple(
        fc.constant(a),
        fc.oneof(
          integer,
          fc.constantFrom(a, a + 1n, a - 1n).filter((b) => b <= maxUint256),
        ),
      ),
    )
    fc.assert(
      fc.property(near, fc.constantFrom(...(Object.keys(operators) as Comparator[])), ([a, b], comparator) => {
        const value = b >= 0n && b % 2n === 0n ? `0x${b.toString(16)}` : b.toString()
        return holds(a, 'uint256', comparator, value) === operators[comparator](orderOf(a, b))
      }),
      { numRuns: 20_000 * fuzz },
    )
  })

  test('never throws, and a value that does not fit its type is never true', () => {
    const value = fc.oneof(
      fc.string(),
      fc.double(),
      integer.map(String),
      fc.array(fc.oneof(fc.string(), fc.boolean(), fc.integer()), { maxLength: 4 }),
    )
    const observed = fc.oneof(integer, fc.boolean(), fc.string(), fc.array(integer, { maxLength: 4 }))
    const comparator = fc.constantFrom(...(Object.keys(operators) as Comparator[]))
    fc.assert(
      fc.property(observed, fc.constantFrom(...abiTypes, 'text'), comparator, value, (seen, type, sign, given) => {
        const result = holds(seen, type, sign, given)
        const isFit = Array.isArray(given) || !type.endsWith('[]') ? parseValue(given, type) !== undefined : true
        return isFit || result !== true
      }),
      { numRuns: 20_000 },
    )
  })
})
