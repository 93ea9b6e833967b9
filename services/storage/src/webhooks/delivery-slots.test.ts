// Which webhook delivers next: receivers that respond slowly, or not at all, must not delay others.
import { expect, test } from 'vitest'
import { createDeliverySlots } from './delivery-slots.ts'

/** Webhooks of an account, named by it and a number. */
const webhooksOf = (address: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${address}${at}`, address }))
const ids = (webhooks: readonly { id: string }[]) => webhooks.map(({ id }) => id)

test('an account gets a share of the slots, and a webhook less', () => {
  const slots = createDeliverySlots()
  const [a, b] = [webhooksOf('a', 10), webhooksOf('b', 1)]
  const selected = slots.select([...a, ...b])
  expect(ids(selected)).toEqual(['a0', 'a1', 'a2', 'a3', 'b0'])
  for (const webhook of selected) slots.acquire(webhook)
  expect(ids(slots.select([...a, ...b]))).toEqual(['b0'])
  for (const webhook of b) slots.acquire(webhook)
  expect(slots.select([...a, ...b])).toEqual([])
  expect(slots.isFull).toBe(false)
})

test('the webhook that has waited longest for a slot is first', () => {
  const slots = createDeliverySlots()
  const many = ['a', 'b', 'c', 'd', 'e'].flatMap((address) => webhooksOf(address, 4))
  const first = slots.select(many)
  expect(first).toHaveLength(16)
  const releases = first.map((webhook) => slots.acquire(webhook))
  expect(slots.isFull).toBe(true)
  expect(slots.select(many)).toEqual([])
  releases[0]?.()
  expect(ids(slots.select(many))).toEqual(['e0'])
  for (const release of releases) release()
  expect(ids(slots.select(many)).slice(0, 5)).toEqual(['e0', 'e1', 'e2', 'e3', 'a0'])
})
