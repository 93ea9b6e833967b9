import { expect, test } from 'vitest'
import { createStreamSlots } from './stream-slots.ts'

const overloaded = expect.objectContaining({ code: 'OVERLOADED' })

test('one address has sixteen payloads at once, all together sixty-four, and places are given back once', () => {
  const slots = createStreamSlots()
  const given = Array.from({ length: 16 }, () => slots.take('a'))
  expect(() => slots.take('a')).toThrow(overloaded)
  for (const address of ['b', 'c', 'd']) for (let count = 0; count < 16; count++) given.push(slots.take(address))
  expect(() => slots.take('e')).toThrow(overloaded)
  for (const giveBack of given) {
    giveBack()
    giveBack()
  }
  expect(Array.from({ length: 16 }, () => slots.take('a'))).toHaveLength(16)
})
