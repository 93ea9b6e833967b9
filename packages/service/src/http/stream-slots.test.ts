import { expect, it } from 'vitest'
import { createStreamSlots } from './stream-slots.ts'

it('gives each address its share, proxies more, and nobody more than all', () => {
  const slots = createStreamSlots({ most: 10, perAddressMost: 3, isExempt: (address) => address === 'proxy' })
  const given = Array.from({ length: 3 }, () => slots.take('one'))
  expect(given.every((release) => release !== undefined)).toBe(true)
  expect(slots.take('one')).toBeUndefined()
  const rest = Array.from({ length: 7 }, () => slots.take('proxy'))
  expect(rest.every((release) => release !== undefined)).toBe(true)
  expect(slots.take('proxy')).toBeUndefined()
  expect(slots.take('other')).toBeUndefined()
  given[0]?.()
  given[0]?.()
  expect(slots.take('one')).toBeDefined()
  expect(slots.take('other')).toBeUndefined()
})
