import { expect, test } from 'vitest'
import { keepRecent } from './keep-recent.ts'

test('keeps the entries that were used last', () => {
  const entries = new Map<string, number>()
  for (const [index, key] of [...'abcad'].entries()) keepRecent(entries, key, index, 3)
  expect([...entries]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ])
})
