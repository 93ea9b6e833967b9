import { expect, it } from 'vitest'
import { createAddressSlots } from './address-slots.ts'

it('gives each address its share, proxies more, and no one more than all', () => {
  const slots = createAddressSlots({ max: 10, maxPerAddress: 3, isExempt: (address) => address === 'proxy' })
  const given = Array.from({ length: 3 }, () => slots.acquire('one'))
  expect(given.every((release) => release !== undefined)).toBe(true)
  expect(slots.acquire('one')).toBeUndefined()
  const rest = Array.from({ length: 7 }, () => slots.acquire('proxy'))
  expect(rest.every((release) => release !== undefined)).toBe(true)
  expect(slots.acquire('proxy')).toBeUndefined()
  expect(slots.acquire('other')).toBeUndefined()
  given[0]?.()
  given[0]?.()
  expect(slots.acquire('one')).toBeDefined()
  expect(slots.acquire('other')).toBeUndefined()
})

it('counts one line of IPv6 as one address', () => {
  const slots = createAddressSlots({ max: 10, maxPerAddress: 1 })
  expect(slots.acquire('2001:db8:0:1::1')).toBeDefined()
  expect(slots.acquire('2001:db8:0:1:ffff::2')).toBeUndefined()
  expect(slots.acquire('2001:db8:0:2::1')).toBeDefined()
})
