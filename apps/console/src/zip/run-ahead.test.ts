import { expect, test } from 'vitest'
import { runAhead } from './run-ahead.ts'

test('yields in order, whichever task ends first, and starts no more than allowed', async () => {
  const begun: number[] = []
  const ends = Array.from({ length: 6 }, () => Promise.withResolvers<string>())
  const results = runAhead([0, 1, 2, 3, 4, 5], 3, (at) => {
    begun.push(at)
    return ends[at]?.promise ?? Promise.reject(new Error('no such task'))
  })
  const first = results.next()
  ends[2]?.resolve('c')
  ends[1]?.resolve('b')
  expect(begun).toEqual([0, 1, 2])
  ends[0]?.resolve('a')
  expect((await first).value).toBe('a')
  // The next ones start when the previous one is written.
  expect(begun).toEqual([0, 1, 2])
  expect((await results.next()).value).toBe('b')
  expect(begun).toEqual([0, 1, 2, 3])
  for (const [at, end] of ends.entries()) end.resolve('abcdef'.charAt(at))
  expect(await Array.fromAsync(results)).toEqual(['c', 'd', 'e', 'f'])
})

test('reports a failing task in its turn', async () => {
  const results = runAhead([1, 2, 3], 3, async (item) => {
    if (item > 1) throw new Error(`no ${item}`)
    return item
  })
  expect((await results.next()).value).toBe(1)
  await expect(results.next()).rejects.toThrow('no 2')
})
