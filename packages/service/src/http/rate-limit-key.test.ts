import { expect, test } from 'vitest'
import { rateLimitKey } from './rate-limit-key.ts'

test('a client is an IPv4 address, or 64 bits of an IPv6 one', () => {
  expect(rateLimitKey('10.1.2.3')).toBe('10.1.2.3')
  expect(rateLimitKey('::ffff:10.1.2.3')).toBe('::ffff:10.1.2.3')
  for (const same of ['2001:db8:0:1::', '2001:db8:0:1::5', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff'])
    expect(rateLimitKey(same)).toBe('2001:db8:0:1::/64')
  expect(rateLimitKey('::1')).toBe('0:0:0:0::/64')
  expect(rateLimitKey('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
})
