import { expect, test } from 'vitest'
import { withoutTrailing } from './without-trailing.ts'

test.each([
  ['1.500', '0', '1.5'],
  ['/a//b//', '/', '/a//b'],
  ['name. .', '. ', 'name'],
  ['00', '0', ''],
  ['', '0', ''],
  ['0x', '0', '0x'],
])('%j without %j at its end is %j', (text, characters, expected) => {
  expect(withoutTrailing(text, characters)).toBe(expected)
})
