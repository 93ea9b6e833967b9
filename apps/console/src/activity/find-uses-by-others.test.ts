import type { KeyEvent } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { findUsesByOthers } from './find-uses-by-others.ts'

const nodes = [1, 2, 3]
const opened: KeyEvent = {
  id: 'opened',
  kind: 'opened',
  cid: 'c',
  address: '0x1',
  at: 0,
  count: 1,
  addresses: [],
  nodes,
  isConfirmed: true,
}

async function* list(...groups: [times: number, event: Partial<KeyEvent>][]): AsyncGenerator<KeyEvent> {
  for (const [times, event] of groups) for (let i = 0; i < times; i++) yield { ...opened, id: `${i}`, ...event }
}

test('finds an opening behind many refusals that only two nodes report', async () => {
  const refused: Partial<KeyEvent> = { kind: 'denied', isConfirmed: false, nodes: [1, 2] }
  expect(await findUsesByOthers(list([1_999, refused], [1, opened]), '0x2')).toEqual([opened])
  expect(await findUsesByOthers(list([2_000, refused], [1, opened]), '0x2')).toEqual([])
})

test('finds uses by others among the last hundred confirmed events', async () => {
  expect(await findUsesByOthers(list([99, { address: '0x2' }], [1, opened]), '0x2')).toEqual([opened])
  expect(await findUsesByOthers(list([99, { kind: 'share' }], [2, opened]), '0x2')).toEqual([opened])
})
