import { expect, test } from 'vitest'
import { inTurns } from './yield-to-others.ts'

test('a long list lets other work run, and ends with its request', async () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => at)
  let turns = 0
  let isDone = false
  const countTurn = () => {
    turns++
    if (!isDone) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  expect(await Array.fromAsync(inTurns(numbers))).toEqual(numbers)
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(19)
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(Array.fromAsync(inTurns(numbers, gone))).rejects.toThrow('gone')
})
