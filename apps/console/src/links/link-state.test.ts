import { maxLinkFailures } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { findLinkState } from './link-state.ts'

const now = Date.UTC(2026, 10, 24)
const link = {
  id: 'AAAAAAAAAAAAAAAAAAAAAA',
  cid: 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  label: '',
  needsPassword: true,
  state: 'open',
  createdAt: now - 1000,
  expiresAt: now + 1000,
  maxOpens: 3,
  opens: 2,
  failures: maxLinkFailures - 1,
  lastOpenedAt: null,
} as const

test('states why a link ended', () => {
  expect(findLinkState(link, now)).toBe('active')
  expect(findLinkState({ ...link, state: 'revoked', opens: 3 }, now)).toBe('revoked')
  expect(findLinkState({ ...link, state: 'ended', opens: 3 }, now)).toBe('usedUp')
  expect(findLinkState({ ...link, state: 'ended', failures: maxLinkFailures }, now)).toBe('locked')
  expect(findLinkState({ ...link, state: 'ended' }, now)).toBe('expired')
})

test('shows a link that expires while the list is open as expired', () => {
  expect(findLinkState(link, now + 1000)).toBe('expired')
})
