import { expect, test } from 'vitest'
import { rights, rightsOf, scopesOf } from './key-rights.ts'

test('recognises each step by its scopes, in any order', () => {
  for (const one of rights) expect(rightsOf(scopesOf[one].toReversed())).toBe(one)
})

test('shows any other set of scopes as custom', () => {
  expect(rightsOf([])).toBe('other')
  expect(rightsOf(['account'])).toBe('other')
  expect(rightsOf(['files:write'])).toBe('other')
})
