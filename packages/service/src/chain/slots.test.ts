import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

const never = new AbortController().signal

test('the first that waits is the first to go on', async () => {
  const slots = createSlots(1)
  const first = await slots.take(never)
  const order: number[] = []
  const others = [1, 2].map(async (each) => {
    using _slot = await slots.take(never)
    order.push(each)
  })
  expect(order).toEqual([])
  first[Symbol.dispose]()
  await Promise.all(others)
  expect(order).toEqual([1, 2])
})

test('who leaves takes no place, and giving back twice frees one', async () => {
  const slots = createSlots(1)
  const first = await slots.take(never)
  const leaver = new AbortController()
  const left = slots.take(leaver.signal)
  leaver.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  await expect(slots.take(leaver.signal)).rejects.toThrow('left')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await slots.take(never)
  const waiting = new AbortController()
  const second = slots.take(waiting.signal)
  waiting.abort(new Error('full'))
  await expect(second).rejects.toThrow('full')
})
