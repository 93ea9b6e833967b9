import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

const never = new AbortController().signal

test('grants slots in the order of the requests', async () => {
  const slots = createSlots(1)
  const first = await slots.acquire(never)
  const order: number[] = []
  const others = [1, 2].map(async (each) => {
    using _slot = await slots.acquire(never)
    order.push(each)
  })
  expect(order).toEqual([])
  first[Symbol.dispose]()
  await Promise.all(others)
  expect(order).toEqual([1, 2])
})

test('an aborted caller holds no slot, and releasing twice frees one', async () => {
  const slots = createSlots(1)
  const first = await slots.acquire(never)
  const leaver = new AbortController()
  const left = slots.acquire(leaver.signal)
  leaver.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  await expect(slots.acquire(leaver.signal)).rejects.toThrow('left')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await slots.acquire(never)
  const waiting = new AbortController()
  const second = slots.acquire(waiting.signal)
  waiting.abort(new Error('full'))
  await expect(second).rejects.toThrow('full')
})
