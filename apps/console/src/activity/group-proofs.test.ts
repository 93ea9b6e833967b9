import { expect, test } from 'vitest'
import type { ActivityItem } from './activity-item.ts'
import { groupProofs } from './group-proofs.ts'

/** A local time, because lines are per day of the user. */
const at = (day: number, minute: number) => new Date(2026, 10, day, 12, minute).getTime()

function item(id: string, type: string, ms: number, provider?: string): ActivityItem {
  const event = {
    id,
    cursor: id,
    type,
    timestamp: new Date(ms).toISOString(),
    data: provider === undefined ? {} : { provider },
  }
  return { source: 'account', id, at: ms, event }
}

test('shows proofs in a row once per day, type and provider, and other events between them', () => {
  const lines = groupProofs([
    item('9', 'deal.active', at(3, 9), 'a'),
    item('8', 'deal.active', at(3, 8), 'b'),
    item('7', 'deal.active', at(3, 7), 'a'),
    item('6', 'proof.missed', at(3, 6), 'a'),
    item('5', 'deal.active', at(3, 5), 'a'),
    item('4', 'upload.deleted', at(3, 4)),
    item('3', 'deal.active', at(3, 3), 'a'),
    item('2', 'deal.active', at(2, 2), 'a'),
    item('1', 'deal.active', at(2, 1), 'a'),
  ])
  expect(lines.map(({ item: { id }, count }) => [id, count])).toEqual([
    ['9', 3],
    ['8', 1],
    ['6', 1],
    ['4', 1],
    ['3', 1],
    ['2', 2],
  ])
})
