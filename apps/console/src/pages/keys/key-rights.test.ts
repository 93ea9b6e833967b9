import { expect, test } from 'vitest'
import { rights, rightsOf, scopesOf } from './key-rights.ts'

test('each step is known again by its scopes, in any order', () => {
  for (const one of rights) expect(rightsOf(scopesOf[one].toReversed())).toBe(one)
})

test('other sets are said to be other', () => {
  expect(rightsOf([])).toBe('other')
  expect(rightsOf(['account'])).toBe('other')
  expect(rightsOf(['files:write'])).toBe('other')
})
