import { expect, test } from 'vitest'
import { findWholeFractionInCbor, findWholeFractionInJson } from './whole-fractions.ts'

test('finds whole numbers that JSON writes as fractions, and none in texts', () => {
  const find = (json: string, isPlain = false) => findWholeFractionInJson(Buffer.from(json), isPlain)
  for (const [json, found] of [
    ['{"a":[1,2.0]}', '2.0'],
    ['1e3', '1e3'],
    ['-0.0', '-0.0'],
    ['[1.5,10E-1]', '10E-1'],
    ['9007199254740991.0', '9007199254740991.0'],
    // A float beyond that is encoded as one.
    ['[1e300,1.5,-7,0,1e-7]', undefined],
    [String.raw`{"1.0":"2.0 \" 3.0","b":"\\"}`, undefined],
    ['18446744073709551615', undefined],
  ] as const)
    expect([json, find(json)]).toEqual([json, found])
  expect(find('[1,18446744073709551615]', true)).toBe('18446744073709551615')
  expect(find('[1,9007199254740991]', true)).toBeUndefined()
})

test('reads JSON without an end once', () => {
  // If each quote were the start of another text, this would take hours.
  const json = Buffer.from(`"${String.raw`\"`.repeat(1_000_000)}`)
  expect(findWholeFractionInJson(json, false)).toBeUndefined()
})

test('finds them in CBOR of each width', () => {
  const find = (hex: string) => findWholeFractionInCbor(Buffer.from(hex, 'hex'))
  for (const [hex, found] of [
    ['fb3ff0000000000000', '1.0'],
    ['fa3f800000', '1.0'],
    ['f93c00', '1.0'],
    ['82f6fbc008000000000000', '-3.0'],
    ['fb3ff8000000000000', undefined],
    ['f97e00', undefined],
    ['fb7ff0000000000000', undefined],
    ['01', undefined],
    // In bytes and texts, and after them.
    ['43fa3f80', undefined],
    ['82780161fa3f800000', '1.0'],
    // Not well-formed.
    ['fb3ff0', undefined],
    ['ff', undefined],
  ] as const)
    expect([hex, find(hex)]).toEqual([hex, found])
})
