import { expect, test } from 'vitest'
import { countTurns } from './count-turns.fixture.ts'
import { inTurns, sortInTurns } from './yield-to-others.ts'

test('a long list lets other work run, and ends with its request', async () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => at)
  const { result, turns } = await countTurns(() => Array.fromAsync(inTurns(numbers)))
  expect(result).toEqual(numbers)
  expect(turns).toBeGreaterThanOrEqual(19)
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(Array.fromAsync(inTurns(numbers, gone))).rejects.toThrow('gone')
})

test('sorts a long list as in one step, keeping the order of equal items, while other work runs', async () => {
  const items = Array.from({ length: 10_007 }, (_, at) => ({ key: (at * 7919) % 1009, at }))
  const compare = (a: { key: number }, b: { key: number }) => a.key - b.key
  const { result, turns } = await countTurns(() => sortInTurns(items, compare))
  expect(result).toEqual(items.toSorted(compare))
  expect(turns).toBeGreaterThanOrEqual(100)
  expect(await sortInTurns([], compare)).toEqual([])
  expect(await sortInTurns([{ key: 2 }, { key: 1 }], compare)).toEqual([{ key: 1 }, { key: 2 }])
  await expect(sortInTurns(items, compare, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})
