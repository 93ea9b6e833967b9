import { expect, test } from 'vitest'
import { countTransfers, orderTransfers } from './overview.ts'

const transfers = [
  { id: 1, stage: 'done' },
  { id: 2, stage: 'cancelled' },
  { id: 3, stage: 'failed' },
  { id: 4, stage: 'sending' },
  { id: 5, stage: 'checking' },
  { id: 6, stage: 'waiting' },
  { id: 7, stage: 'waiting' },
  { id: 8, stage: 'paused' },
] as const

test('lists running uploads first, and queued ones in the order in which they start', () => {
  expect(orderTransfers(transfers).map(({ id }) => id)).toEqual([4, 5, 3, 8, 6, 7, 2, 1])
})

test('cancelled transfers are not done, and queued and paused ones are not running', () => {
  expect(countTransfers(transfers)).toEqual({ running: 2, queued: 2, paused: 1, failed: 1, done: 1, cancelled: 1 })
})
